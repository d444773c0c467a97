import { useLocation } from 'wouter';
import type { TicketWithMessages } from '../api/client.ts';
import { commandProps } from '../commands.ts';
import { fullDay } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { purgeTickets } from '../tickets/purge.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './TicketHead.module.css';

/** As many days as the service keeps deleted tickets. */
const keptDays = 30;

type Props = { ticket: TicketWithMessages; trashedAt: string; role: string; backTo: string };

/** Says until when a ticket in the trash can be taken out. */
export function TrashLine({ ticket, trashedAt, role, backTo }: Props) {
  const { workspace } = usePlace();
  const [, go] = useLocation();
  const goneAt = new Date(Date.parse(trashedAt) + keptDays * 86_400_000);
  return (
    <div role="status" className={styles.trashed}>
      <span>{words('ticket.trashed', { day: fullDay(goneAt.toISOString()) })}</span>
      {role !== 'viewer' && (
        <Button {...commandProps('trash')} look="quiet">
          {words('ticket.restore')}
        </Button>
      )}
      {role === 'owner' && (
        <Button onClick={() => void purgeTickets(workspace.id, [ticket]).then((isAgreed) => isAgreed && go(backTo))}>
          {words('ticket.purge')}
        </Button>
      )}
    </div>
  );
}
