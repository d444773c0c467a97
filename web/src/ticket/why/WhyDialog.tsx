import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { TicketWithMessages } from '../../api/client.ts';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import {
  type AutoAnswer,
  noReplyWords,
  type RuleRun,
  runWords,
  ticketAutoRepliesQuery,
  ticketRunsQuery,
} from '../../tickets/rules.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import styles from './WhyDialog.module.css';

type Props = { ticket: TicketWithMessages; onClose: () => void };

/** The rules that ran on a ticket and what they did, and which mails were answered automatically, the newest first. */
export function WhyDialog({ ticket, onClose }: Props) {
  const { workspace } = usePlace();
  const source = useInfiniteQuery({ ...ticketRunsQuery(workspace.id, ticket), select: itemsOf });
  const { data: replies = [] } = useQuery(ticketAutoRepliesQuery(workspace.id, ticket));
  return (
    <Dialog title={words('command.why')} onClose={onClose} className={styles.why}>
      <PagedList label={words('why.runs')} source={source} none={words('why.none')} more={words('why.more')}>
        {(run) => <Run key={run.id} run={run} />}
      </PagedList>
      {replies.length > 0 && (
        <ul aria-label={words('why.replies')}>
          {replies.map((reply) => (
            <Answer key={reply.id} reply={reply} />
          ))}
        </ul>
      )}
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

function Answer({ reply }: { reply: AutoAnswer }) {
  const { autoReplyId, autoReplyName, withheld, at } = reply;
  return (
    <li data-done={withheld === null || undefined}>
      <Icon name={withheld === null ? 'check' : 'close'} />
      <span>
        {autoReplyName === null || autoReplyId === null ? (
          <span>{words('why.deletedReply')}</span>
        ) : (
          <Link href={paths.settings(`auto-replies/${autoReplyId}`)} dir="auto">
            {autoReplyName}
          </Link>
        )}
        <small>{withheld === null ? words('run.did.reply') : noReplyWords(withheld)}</small>
      </span>
      <time dateTime={at}>{fullTime(at)}</time>
    </li>
  );
}
