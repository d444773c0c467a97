import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { runWords } from '../../tickets/rules.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { ruleRunsQuery } from './queries.ts';
import type { Rule } from './rule.ts';
import styles from './rules.module.css';

/** The tickets on which a rule ran, the newest first, and what came of it. */
export function RuleRuns({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const { workspace } = usePlace();
  const source = useInfiniteQuery({ ...ruleRunsQuery(workspace.id, rule.id), select: itemsOf });
  return (
    <Dialog title={words('rules.runsOf', { name: rule.name })} onClose={onClose} className={styles.ran}>
      <PagedList
        label={words('rules.runsList')}
        source={source}
        none={words('rules.noRuns')}
        more={words('rules.moreRuns')}
      >
        {(run) => (
          <li key={run.id}>
            <Link href={paths.ticket(run.ticketNumber)}>
              #{run.ticketNumber} <span dir="auto">{run.subject}</span>
            </Link>
            <small>{runWords(run)}</small>
            <small>
              <time dateTime={run.at}>{fullTime(run.at)}</time>
            </small>
          </li>
        )}
      </PagedList>
    </Dialog>
  );
}
