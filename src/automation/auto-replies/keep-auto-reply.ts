import { audit } from '../../access/audit/audit.ts';
import { setUses, type UsedSubject } from '../../access/uses/set-uses.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';
import { readCalendar } from '../calendars/queries.ts';
import { keepReader, lockReader } from '../readers/keep-reader.ts';
import { getAutoReply } from './queries.ts';
import { type AutoReply, autoRepliesMax, type CreateAutoReply, type UpdateAutoReply } from './schema.ts';

type Content = Required<CreateAutoReply>;
type Ref = { autoReplyId: string };

/** Throws 400 for what makes no sense or names what is not there, and 409 for too many. */
export async function createAutoReply(tx: Tx, actor: Actor, input: CreateAutoReply): Promise<AutoReply> {
  const { workspaceId } = actor;
  const content = { ...nothingElse, ...input };
  await lockAutoReplies(tx, workspaceId);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from auto_replies where workspace_id = ${workspaceId}`);
  if (count >= autoRepliesMax) throw new AppError('auto_reply.too_many', { max: autoRepliesMax });
  await check(tx, workspaceId, content);
  const id = tx.newId();
  const { name, mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId, isActive } = content;
  await together([
    tx.run(sql`
      insert into auto_replies (workspace_id, id, name, mailbox_id, kind, calendar_id, valid_from, valid_until,
        saved_reply_id, is_active, version, created_at, updated_at)
      values (${workspaceId}, ${id}, ${name}, ${mailboxId}, ${kind}, ${calendarId}, ${validFrom}, ${validUntil},
        ${savedReplyId}, ${isActive}, 1, ${tx.now}, ${tx.now})`),
    setUses(tx, workspaceId, { kind: 'auto_reply', id }, usesOf(content)),
    audit(tx, actor, { type: 'auto_reply.created', subjectId: id, data: { name } }),
  ]);
  await keepReader(tx, workspaceId);
  return getAutoReply(tx, { workspaceId, autoReplyId: id, now: tx.now });
}

const nothingElse = { mailboxId: null, calendarId: null, validFrom: null, validUntil: null, isActive: false };

/** Changes the given fields. Throws 404, 412, and otherwise as `createAutoReply`. */
export async function updateAutoReply(
  tx: Tx,
  actor: Actor,
  { autoReplyId, ifMatch, ...input }: UpdateAutoReply & Ref & { ifMatch: string[] | undefined },
): Promise<AutoReply> {
  const { workspaceId } = actor;
  await lockAutoReplies(tx, workspaceId);
  const key = { workspaceId, autoReplyId, now: tx.now };
  const before = await getAutoReply(tx, key);
  if (ifMatch !== undefined && !ifMatch.includes(`"${before.version}"`))
    throw new AppError('auto_reply.version_mismatch', { currentVersion: before.version });
  const content = { ...contentOf(before), ...input };
  const changed = changedFields(contentOf(before), content);
  if (changed.length === 0) return before;
  await check(tx, workspaceId, content);
  const { name, mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId, isActive } = content;
  await together([
    tx.run(sql`
      update auto_replies
      set name = ${name}, mailbox_id = ${mailboxId}, kind = ${kind}, calendar_id = ${calendarId},
        valid_from = ${validFrom}, valid_until = ${validUntil}, saved_reply_id = ${savedReplyId},
        is_active = ${isActive}, version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${autoReplyId}`),
    setUses(tx, workspaceId, { kind: 'auto_reply', id: autoReplyId }, usesOf(content)),
    audit(tx, actor, { type: 'auto_reply.changed', subjectId: autoReplyId, data: { name, changed } }),
  ]);
  await keepReader(tx, workspaceId);
  return getAutoReply(tx, key);
}

/** What it sent stays in the log, and the mails in their tickets. Throws 404. */
export async function deleteAutoReply(tx: Tx, actor: Actor, { autoReplyId }: Ref): Promise<void> {
  const { workspaceId } = actor;
  await lockAutoReplies(tx, workspaceId);
  const { name } = await getAutoReply(tx, { workspaceId, autoReplyId, now: tx.now });
  await together([
    tx.run(sql`delete from auto_replies where workspace_id = ${workspaceId} and id = ${autoReplyId}`),
    setUses(tx, workspaceId, { kind: 'auto_reply', id: autoReplyId }, []),
    audit(tx, actor, { type: 'auto_reply.deleted', subjectId: autoReplyId, data: { name } }),
  ]);
  await keepReader(tx, workspaceId);
}

/** Changes take turns with each other, with those of rules, and with the reader that runs both. */
async function lockAutoReplies(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await together([lockWorkspace(tx, workspaceId), lockReader(tx, workspaceId)]);
}

function contentOf(reply: AutoReply): Content {
  const { name, mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId, isActive } = reply;
  return { name, mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId, isActive };
}

async function check(tx: Tx, workspaceId: WorkspaceId, content: Content): Promise<void> {
  const { mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId } = content;
  if (kind === 'received' && calendarId !== null) throw invalidRequest({ path: 'body.calendarId', key: 'not_of_kind' });
  // Without hours it answers at any time, which only dates may limit.
  if (kind === 'out_of_hours' && calendarId === null && (validFrom === null || validUntil === null))
    throw invalidRequest({ path: 'body.calendarId', key: 'needs_hours' });
  if (validFrom !== null && validUntil !== null && Date.parse(validUntil) <= Date.parse(validFrom))
    throw invalidRequest({ path: 'body.validUntil', key: 'not_after_from' });
  const [reply, calendar] = await together([
    tx.maybe(sql`
      select from saved_replies where workspace_id = ${workspaceId} and id = ${savedReplyId} and owner_id is null`),
    calendarId === null ? null : readCalendar(tx, workspaceId, calendarId),
    mailboxId === null ? undefined : requireConnected(tx, workspaceId, mailboxId),
  ]);
  if (reply === undefined) throw invalidRequest({ path: 'body.savedReplyId', key: 'not_a_saved_reply' });
  if (calendar === undefined) throw invalidRequest({ path: 'body.calendarId', key: 'not_a_calendar' });
}

/** What is not deleted while the reply names it. */
function usesOf({ mailboxId, calendarId, savedReplyId }: Content): UsedSubject[] {
  return [
    { kind: 'saved_reply', id: savedReplyId },
    ...(mailboxId === null ? [] : [{ kind: 'mailbox' as const, id: mailboxId }]),
    ...(calendarId === null ? [] : [{ kind: 'calendar' as const, id: calendarId }]),
  ];
}
