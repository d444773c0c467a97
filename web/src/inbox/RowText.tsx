import type { Ticket } from '../api/client.ts';
import { fullTime, rowTime } from '../lib/dates.ts';
import { initialsOf } from '../lib/initials.ts';
import { Faces } from '../people/Faces.tsx';
import { type KnownMember, MemberFace } from '../people/MemberFace.tsx';
import { usePlace } from '../session/Guard.tsx';
import { TagNames } from '../tickets/TagNames.tsx';
import { hueOf } from '../ui/Avatar.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Waits } from '../ui/Waits.tsx';
import { words } from '../words/words.ts';
import styles from './TicketRow.module.css';

type Props = {
  ticket: Ticket;
  person: string;
  assignee: KnownMember | undefined;
  /** Named where the list has tickets of several mailboxes. */
  mailbox: string | undefined;
  onlyTeam: string | undefined;
  isCompact: boolean;
  /** The row is the result of a search, which tells the number and the status of each ticket. */
  isFound: boolean;
};

/** Who asks, what, and how it goes on: three lines, or one in a compact list. */
export function RowText({ ticket, person, assignee, mailbox, onlyTeam, isCompact, isFound }: Props) {
  const { id, ticketNumber, subject, lastMessage, lastMessageAt, messageCount, unread } = ticket;
  const matches = isFound ? ticket.matches : undefined;
  return (
    <span className={styles.text}>
      <span className={styles.line}>
        <span className={styles.person} dir="auto">
          {unread === true && <span className="visually-hidden">{words('row.unread')} </span>}
          {person}
        </span>
        {messageCount > 1 && <span className={styles.count}>{messageCount}</span>}
        <span className={isFound ? styles.count : 'visually-hidden'}>#{ticketNumber}</span>
        <span className={styles.end}>
          <Faces ticketId={id} isSmall />
          <time className={styles.time} dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
            {rowTime(lastMessageAt)}
          </time>
        </span>
      </span>
      <span className={styles.line}>
        <span className={styles.subject} dir="auto">
          <Marked text={subject} matches={matches} />
          {isCompact && lastMessage !== null && (
            <span className={styles.snippet}>
              {' – '}
              <Marked text={lastMessage.snippet} matches={matches} />
            </span>
          )}
        </span>
        <Marks {...{ ticket, isFound, onlyTeam }} mailbox={isCompact ? mailbox : undefined} />
      </span>
      {!isCompact && <LastLine {...{ ticket, assignee, mailbox, matches }} />}
    </span>
  );
}

/** A text with the words marked that a search found. */
function Marked({ text, matches = [] }: { text: string; matches?: readonly string[] | undefined }) {
  if (matches.length === 0) return text;
  // Matches are letters and digits alone. Of two matches that begin alike the longer match counts.
  const longestFirst = matches.toSorted((a, b) => b.length - a.length);
  const parts = text.split(new RegExp(`(${longestFirst.join('|')})`, 'u'));
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else that tells them apart
  return parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}

type LastLineProps = Pick<Props, 'ticket' | 'assignee' | 'mailbox'> & { matches: readonly string[] | undefined };

function LastLine({ ticket, assignee, mailbox, matches }: LastLineProps) {
  const { lastMessage } = ticket;
  const isNote = lastMessage?.direction === 'internal';
  return (
    <span className={styles.line}>
      <span className={styles.snippet} dir="auto">
        {isNote && <Icon name="lock" size={12} />}
        {isNote && lastMessage.authorName !== null && `${lastMessage.authorName}: `}
        <Marked text={lastMessage?.snippet ?? ''} matches={matches} />
      </span>
      <span className={styles.end}>
        {mailbox !== undefined && (
          <span className={styles.mailbox} dir="auto" title={words('row.mailbox', { mailbox })}>
            {mailbox}
          </span>
        )}
        <Tags tags={ticket.tags} />
        {ticket.assigneeId === null && <Icon name="unassigned" size={14} />}
        {assignee !== undefined && (
          <span title={words('row.assignee', { person: assignee.name })}>
            <MemberFace member={assignee} size={20} />
            <span className="visually-hidden">{words('row.assignee', { person: assignee.name })}</span>
          </span>
        )}
      </span>
    </span>
  );
}

/** A narrow list shows one tag and counts the others, a wide list two. */
function Tags({ tags }: { tags: readonly string[] }) {
  const { workspace } = usePlace();
  const [first, second, ...others] = tags;
  if (first === undefined) return null;
  return (
    <>
      <TagNames workspaceId={workspace.id} tags={[first]} className={styles.tag} />
      {second !== undefined && (
        <>
          <TagNames workspaceId={workspace.id} tags={[second]} className={`${styles.tag} ${styles.second}`} />
          <span className={styles.moreNarrow} aria-hidden="true">
            +{others.length + 1}
          </span>
        </>
      )}
      {others.length > 0 && <span className={styles.moreWide}>+{others.length}</span>}
    </>
  );
}

/** Marks for a draft, the only team that sees it, the mailbox, delivery, files, snooze, status and waiting time. */
function Marks({ ticket, isFound, onlyTeam, mailbox }: Pick<Props, 'ticket' | 'isFound' | 'onlyTeam' | 'mailbox'>) {
  const { hasDraft, mailboxId, deliveryProblem, attachmentCount, snoozedUntil, waitingSince, status } = ticket;
  return (
    <span className={styles.end}>
      {hasDraft === true && <span className={styles.draft}>{words('row.draft')}</span>}
      {deliveryProblem !== null && <b className={styles.bad}>{words(`delivery.${deliveryProblem}`)}</b>}
      {onlyTeam !== undefined && <Mark icon="lock" text={words('team.only', { team: onlyTeam })} />}
      {mailbox !== undefined && <MailboxMark of={mailboxId ?? mailbox} name={mailbox} />}
      {attachmentCount > 0 && <Mark icon="paperclip" text={words('row.files', { count: attachmentCount })} />}
      {snoozedUntil !== null && (
        <Mark icon="snooze" text={words('ticket.snoozedUntil', { time: fullTime(snoozedUntil) })} />
      )}
      {(isFound || status !== 'open') && (
        <span className={styles.status} data-status={status}>
          {words(`status.${status}`)}
        </span>
      )}
      {waitingSince !== null && <Waits since={waitingSince} />}
    </span>
  );
}

/** Two letters for a mailbox, where a row has no room for its name. */
function MailboxMark({ of, name }: { of: string; name: string }) {
  const text = words('row.mailbox', { mailbox: name });
  // Addresses of one company differ in their beginning alone: support@, sales@, service@.
  const initials = name.includes('@') ? [...name].slice(0, 2).join('').toUpperCase() : initialsOf(name);
  return (
    <span className={styles.box} data-hue={hueOf(of)} data-initials={initials} title={text}>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

function Mark({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span title={text}>
      <Icon name={icon} size={14} />
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
