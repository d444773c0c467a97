import { commandProps } from '../commands.ts';
import { fullDay } from '../lib/dates.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './TicketHead.module.css';

/** As many days as the service keeps deleted tickets. */
const keptDays = 30;

type Props = { trashedAt: string; role: string };

/** Says until when a ticket in the trash can be taken out. */
export function TrashLine({ trashedAt, role }: Props) {
  const goneAt = new Date(Date.parse(trashedAt) + keptDays * 86_400_000);
  return (
    <div role="status" className={styles.notice}>
      <span>{words('trash.until', { day: fullDay(goneAt.toISOString()) })}</span>
      {role !== 'viewer' && (
        <Button size="tool" {...commandProps('trash')} look="quiet">
          {words('trash.takeOut')}
        </Button>
      )}
      {role === 'owner' && (
        <Button size="tool" {...commandProps('purge')}>
          {words('trash.purge')}
        </Button>
      )}
    </div>
  );
}
