import { withdrawAnswer } from '../../events/notifications/mark-read.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Doer } from '../../ground/catalog/doer.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { WhenAnswered } from '../../ground/catalog/when-answered.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { ChangedTicket } from '../messages/insert-message.ts';
import { isShownToNobody, saveTicket } from './change.ts';
import { recordChange } from './record-change.ts';
import type { Ticket } from './schema.ts';
import { recount } from './summary.ts';
import { mayHave } from './teams/team-of-ticket.ts';
import type { ChangeWithContact } from './ticket-change.ts';
import { bringBackUnread, type UnreadMark, unreadMarks } from './unread.ts';

/** What a mailed answer changes in its ticket, and how cancelling the answer brings that back. */

type BeforeAnswer = {
  /** When the ticket was closed, exactly. */
  closedAt: string | null;
  /** Whether the member who answers follows the ticket already. */
  isFollowing: boolean;
  whenAnswered: WhenAnswered | null;
  mailboxId: string | null;
  unread: UnreadMark[];
};

/** Reads what the answer of a member depends on. The mailbox of the ticket decides before the workspace. */
export async function readBeforeAnswer(db: Queryable, actor: Actor, ticketId: TicketId): Promise<BeforeAnswer | null> {
  const { workspaceId, userId } = actor;
  const before = await db.maybe<BeforeAnswer>(sql`
    select t.closed_at::text as "closedAt", t.mailbox_id as "mailboxId",
      coalesce(b.when_answered, w.when_answered) as "whenAnswered",
      exists (
        select from ticket_followers f
        where f.workspace_id = ${workspaceId} and f.ticket_id = t.id and f.user_id = ${userId}
      ) as "isFollowing",
      ${unreadMarks(workspaceId)} as unread
    from tickets t
    join workspaces w on w.id = ${workspaceId}
    left join mailboxes b on b.workspace_id = ${workspaceId} and b.id = t.mailbox_id and b.status <> 'disconnected'
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(actor, 't')}`);
  return before ?? null;
}

/** The rule of the mailbox that sends the answer, which the answer itself may choose. */
export async function ruleOf(
  db: Queryable,
  { workspaceId }: Scope,
  read: BeforeAnswer,
  { mailboxId = read.mailboxId }: Pick<ChangeWithContact, 'mailboxId'>,
): Promise<WhenAnswered | null> {
  if (mailboxId === read.mailboxId) return read.whenAnswered;
  const { rule } = await db.one<{ rule: WhenAnswered | null }>(sql`
    select coalesce(b.when_answered, w.when_answered) as rule
    from workspaces w
    left join mailboxes b on b.workspace_id = ${workspaceId} and b.id = ${mailboxId} and b.status <> 'disconnected'
    where w.id = ${workspaceId}`);
  return rule;
}

/**
 * What an answer does with its ticket by the rule of the workspace or mailbox. It never reopens a ticket.
 * @param userId the member who answers; null if nobody is to have the ticket
 * @param chosen what the answer's saved reply changes, which the rule leaves alone
 */
export function takenBy(
  ticket: Ticket,
  rule: WhenAnswered | null,
  { userId, chosen }: { userId: UserId | null; chosen: ChangeWithContact },
): ChangeWithContact {
  if (rule === null) return {};
  const { assign, status } = rule;
  const takes = userId !== null && (assign === 'always' || (assign === 'unassigned' && ticket.assigneeId === null));
  return {
    ...(takes && chosen.assigneeId === undefined && { assigneeId: userId }),
    ...(status !== 'keep' && chosen.status === undefined && ticket.status !== 'closed' && { status }),
  };
}

/** @returns null if the answer changes nothing */
export function changedBy(
  { closedAt, unread }: BeforeAnswer,
  { before, after, isNewFollower }: { before: Ticket; after: Ticket; isNewFollower: boolean },
): ChangedTicket | null {
  const isSame = restored.every((field) => before[field] === after[field]);
  if (isSame && !isNewFollower) return null;
  return {
    before: { ...fieldsOf(before), closedAt },
    after: fieldsOf(after),
    ...(isNewFollower && { isNewFollower }),
    ...(isShownToNobody(after) && unread.length > 0 && { unread }),
  };
}

/** What cancelling an answer brings back, unless somebody has changed it since. */
const restored = ['status', 'archivedAt', 'assigneeId'] as const;
type Restored = (typeof restored)[number];

function fieldsOf({ status, archivedAt, assigneeId }: Ticket): Pick<Ticket, Restored> {
  return { status, archivedAt, assigneeId };
}

/**
 * Brings a locked ticket back to where it was before an answer that is cancelled now: who waits, what was written
 * last, the status, the assignee, for whom it is unread, whether its author follows it, and whom it told. What
 * somebody has changed since stays, and so does the assignee whose later answer stands. Tells nobody: an earlier
 * assignee knows the ticket.
 */
export async function takeBackAnswer(
  tx: Tx,
  by: Doer,
  { ticket, messageId }: { ticket: Ticket; messageId: MessageId },
): Promise<Ticket> {
  const { workspaceId } = by;
  const { changed, authorId, hasLater } = await tx.one<Answered>(sql`
    select m.changed_ticket as changed, m.author_user_id as "authorId", exists (
        select from messages o
        where o.workspace_id = ${workspaceId} and o.ticket_id = m.ticket_id and o.id > m.id
          and o.author_user_id = m.author_user_id and ${isStanding}
      ) as "hasLater"
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${ofVisible(by, 'm.ticket_id')}`);
  const back = restored.filter(
    (field) => changed !== null && isOurs(changed, field, ticket) && !(field === 'assigneeId' && hasLater),
  );
  const after: Ticket = { ...ticket, ...Object.fromEntries(back.map((field) => [field, changed?.before[field]])) };
  const { assigneeId } = after;
  if (back.includes('assigneeId') && assigneeId !== null && !(await mayHave(tx, workspaceId, { ...after, assigneeId })))
    after.assigneeId = null;
  const [saved, , , , counted] = await together([
    saveTicket(tx, workspaceId, after),
    recordChange(tx, by, { before: ticket, after, isQuiet: true }),
    changed !== null &&
      back.includes('status') &&
      tx.run(sql`
        update tickets set closed_at = ${changed.before.closedAt}::timestamptz
        where workspace_id = ${workspaceId} and id = ${ticket.id}`),
    changed !== null &&
      tx.run(sql`
        update messages set changed_ticket = null where workspace_id = ${workspaceId} and id = ${messageId}`),
    recount(tx, workspaceId, ticket.id),
    withdrawAnswer(tx, workspaceId, { ticketId: ticket.id, messageId }),
    changed?.isNewFollower && authorId !== null
      ? unfollow(tx, workspaceId, { ticketId: ticket.id, userId: authorId, messageId })
      : undefined,
    // After the ticket is saved, because a closed one is unread for nobody.
    bringBackUnread(tx, { workspaceId, ticketId: ticket.id }, changed?.unread ?? []),
  ]);
  return { ...saved, ...counted };
}

type Answered = { changed: ChangedTicket | null; authorId: UserId | null; hasLater: boolean };

/** The condition that `messages o` is an answer that was not cancelled. */
const isStanding: Sql = sql`o.direction = 'outbound' and o.delivery_status is distinct from 'cancelled'`;

/** Lets a member no longer follow a ticket, unless another answer of theirs stands. */
async function unfollow(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ticketId, userId, messageId }: { ticketId: TicketId; userId: UserId; messageId: MessageId },
): Promise<void> {
  await tx.run(sql`
    delete from ticket_followers f
    where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticketId} and f.user_id = ${userId} and not exists (
      select from messages o
      where o.workspace_id = ${workspaceId} and o.ticket_id = ${ticketId} and o.author_user_id = ${userId}
        and ${isStanding} and o.id <> ${messageId}
    )`);
}

/** Whether a field is still as the answer has left it. */
function isOurs({ before, after }: ChangedTicket, field: Restored, ticket: Ticket): boolean {
  return before[field] !== after[field] && ticket[field] === after[field];
}

/** Counts an answer again that was cancelled and now goes out after all. */
export async function countAnswerAgain(tx: Tx, workspaceId: WorkspaceId, ticket: Ticket): Promise<Ticket> {
  const [saved, counted] = await together([saveTicket(tx, workspaceId, ticket), recount(tx, workspaceId, ticket.id)]);
  return { ...saved, ...counted };
}
