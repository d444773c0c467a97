import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { TicketWithMessages } from '../../api/client.ts';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { type RuleRun, runWords, ticketRunsQuery } from '../../tickets/rules.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import styles from './WhyDialog.module.css';

type Props = { ticket: TicketWithMessages; onClose: () => void };

/** The rules that ran on a ticket, and what they did there, the newest first. */
export function WhyDialog({ ticket, onClose }: Props) {
  const { workspace } = usePlace();
  const source = useInfiniteQuery({ ...ticketRunsQuery(workspace.id, ticket), select: itemsOf });
  return (
    <Dialog title={words('command.why')} onClose={onClose} className={styles.why}>
      <PagedList label={words('why.runs')} source={source} none={words('why.none')} more={words('why.more')}>
        {(run) => <Run key={run.id} run={run} />}
      </PagedList>
    </Dialog>
  );
}

function Run({ run }: { run: RuleRun }) {
  const isDone = run.outcome === 'done';
  return (
    <li data-done={isDone || undefined}>
      <Icon name={isDone ? 'check' : 'close'} />
      <span>
        <Link href={`${paths.settings('rules')}?rule=${run.ruleId}`} dir="auto">
          {run.ruleName}
        </Link>
        <small>{runWords(run)}</small>
      </span>
      <time dateTime={run.at}>{fullTime(run.at)}</time>
    </li>
  );
}
