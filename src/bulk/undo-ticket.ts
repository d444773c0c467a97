import type { Actor } from '../catalog/actor.ts';
import type { Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { TicketId, UserId, WorkspaceId } from '../lib/ids.ts';
import { markSpam, unmarkSpam } from '../spam/mark-spam.ts';
import { bringBackUnread } from '../tickets/unread.ts';
import { restoreTicket, trashTicket } from '../trash/trash.ts';
import { type RestoredFields, restoreFields } from './restore-fields.ts';
import { givenBack, type Made, type ReadState, type TicketState } from './ticket-state.ts';

/**
 * Brings a locked ticket back to its state before a bulk change. A field that a person has changed meanwhile stays.
 * @param now its present state
 * @returns whether every field is back
 */
export async function undoOne(
  tx: Tx,
  actor: Actor,
  { ticketId, made, now }: { ticketId: TicketId; made: Made; now: ReadState },
): Promise<boolean> {
  const { workspaceId } = actor;
  const target = { ticketId, ifMatch: undefined };
  const { fields, isWhole } = givenBack(made, now);
  const isAssigneeHere = await isMember(tx, workspaceId, fields.assigneeId ?? null);
  if (!isAssigneeHere) delete fields.assigneeId;
  const { trashedAt, spamAt } = fields;
  if (trashedAt === null) await restoreTicket(tx, actor, target);
  if (spamAt === null) await unmarkSpam(tx, actor, target);
  const restored = restoredFields(fields);
  if (Object.keys(restored).length > 0) await restoreFields(tx, actor, ticketId, restored);
  if (spamAt) await markSpam(tx, actor, target);
  if (trashedAt) await trashTicket(tx, actor, target);
  await setExactly(tx, { workspaceId, ticketId }, fields);
  await bringBackUnread(tx, { workspaceId, ticketId }, made.unread);
  return isWhole && isAssigneeHere;
}

/** Trash and spam archive a ticket as well, and bring it back from there. */
function restoredFields({ status, assigneeId, priority, tags, snoozedUntil, ...others }: Partial<TicketState>) {
  const isHidden = 'trashedAt' in others || 'spamAt' in others;
  const given = {
    status,
    assigneeId,
    priority,
    tags,
    snoozedUntil,
    ...(!isHidden && { archivedAt: others.archivedAt }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as RestoredFields;
}

/** Times that the verbs set anew: the days in the trash go on from where they were. */
async function setExactly(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  fields: Partial<TicketState>,
): Promise<void> {
  const columns = {
    archivedAt: sql`archived_at`,
    trashedAt: sql`trashed_at`,
    spamAt: sql`spam_at`,
    spamReason: sql`spam_reason`,
    waitingSince: sql`waiting_since`,
    closedAt: sql`closed_at`,
  };
  const kept = (name: keyof typeof columns, type: Sql): Sql =>
    name in fields ? sql`${fields[name] ?? null}::${type}` : columns[name];
  if (!Object.keys(columns).some((name) => name in fields)) return;
  const time = sql`timestamptz`;
  await tx.run(sql`
    update tickets
    set archived_at = ${kept('archivedAt', time)}, trashed_at = ${kept('trashedAt', time)},
      spam_at = ${kept('spamAt', time)}, spam_reason = ${kept('spamReason', sql`text`)},
      waiting_since = ${kept('waitingSince', time)}, closed_at = ${kept('closedAt', time)}
    where workspace_id = ${workspaceId} and id = ${ticketId}`);
}

async function isMember(tx: Tx, workspaceId: WorkspaceId, userId: UserId | null): Promise<boolean> {
  if (userId === null) return true;
  const member = await tx.maybe(sql`
    select from members where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is null`);
  return member !== undefined;
}
