import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { commandProps, commandWords } from '../commands.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { mergeTargetQuery } from './queries.ts';
import styles from './TicketHead.module.css';

/** Leads from a merged ticket to the one that has its messages now. */
export function MergedLine({ intoId }: { intoId: string }) {
  const { workspace } = usePlace();
  const number = useQuery(mergeTargetQuery(workspace.id, intoId)).data?.ticketNumber;
  return (
    <div className={styles.notice} data-quiet>
      <span role="status">{words('ticket.merged')}</span>
      {number !== undefined && (
        <Link href={paths.ticket(number, window.location.search.slice(1))}>{words('palette.ticket', { number })}</Link>
      )}
      {workspace.role !== 'viewer' && (
        <Button look="quiet" size="tool" {...commandProps('unmerge')}>
          {commandWords('unmerge')}
        </Button>
      )}
    </div>
  );
}
