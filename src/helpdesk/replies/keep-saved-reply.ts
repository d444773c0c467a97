import { audit } from '../../access/audit/audit.ts';
import { requireTeam } from '../../access/teams/queries.ts';
import { refuseInUse } from '../../access/uses/refuse-in-use.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { brokenConstraint } from '../../ground/database/faults.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import { textOfHtml } from '../../ground/lib/html/ready-html.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { foldText, searchWords } from '../../ground/lib/text.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';
import { claimFiles, releaseFiles } from './files.ts';
import { getSavedReply } from './queries.ts';
import type { ReplyActions, SavedReplyInput, StoredSavedReply } from './schema.ts';
import { placeholdersIn, placeholdersMax } from './variables.ts';

/** For each member's private replies, and for the shared replies of a workspace. */
const ownMax = 500;
const sharedMax = 5_000;

export async function createSavedReply(tx: Tx, actor: Actor, input: SavedReplyInput): Promise<StoredSavedReply> {
  const { workspaceId, userId } = actor;
  const { isShared = false, attachmentIds = [] } = input;
  const content = contentOf(input);
  await checkActions(tx, actor, content.actions);
  await refuseTooManyReplies(tx, actor, isShared);
  const id = tx.newId();
  await tx
    .run(sql`
      insert into saved_replies (workspace_id, id, owner_id, created_by, name, name_key, shortcut, subject, body,
        body_html, actions, search, version, created_at, updated_at)
      values (${workspaceId}, ${id}, ${isShared ? null : userId}, ${userId}, ${content.name},
        ${foldText(content.name)}, ${content.shortcut}, ${content.subject}, ${content.body}, ${content.bodyHtml},
        ${JSON.stringify(content.actions)}, ${searchVectorOf(content)}::tsvector, 1, ${tx.now}, ${tx.now})`)
    .catch((error) => Promise.reject(asShortcutFault(error)));
  await claimFiles(tx, actor, { savedReplyId: id, attachmentIds, kept: [] });
  if (isShared) await audit(tx, actor, { type: 'saved_reply.created', subjectId: id, data: { name: content.name } });
  return getSavedReply(tx, actor, { savedReplyId: id, now: tx.now });
}

export type SavedReplyChange = {
  before: StoredSavedReply;
  after: StoredSavedReply;
};

/** Every agent may change a shared reply. Only its creator may make it private, while no rule names it. */
export async function updateSavedReply(
  tx: Tx,
  actor: Actor,
  {
    savedReplyId,
    ifMatch,
    ...input
  }: Partial<SavedReplyInput> & { savedReplyId: string; ifMatch: string[] | undefined },
): Promise<SavedReplyChange> {
  const { workspaceId, userId } = actor;
  // Locks the workspace before the reply, as a creation does, so that they cannot deadlock.
  if (input.isShared === true) await lockWorkspace(tx, workspaceId);
  if (input.isShared === false) await refuseInUse(tx, workspaceId, { kind: 'saved_reply', id: savedReplyId });
  const before = await lockSavedReply(tx, actor, savedReplyId);
  if (ifMatch !== undefined && !ifMatch.includes(`"${before.version}"`))
    throw new AppError('saved_reply.version_mismatch', { currentVersion: before.version });
  const isShared = input.isShared ?? before.isShared;
  if (isShared !== before.isShared) {
    if (before.createdBy !== userId) throw new AppError('auth.role_insufficient');
    await refuseTooManyReplies(tx, actor, isShared);
  }
  const isNewText = input.body !== undefined || input.bodyHtml !== undefined;
  const { body, bodyHtml } = isNewText ? { body: '', bodyHtml: null, ...input } : before;
  const content = contentOf({ ...before, ...input, body, bodyHtml });
  if (input.actions !== undefined) await checkActions(tx, actor, content.actions);
  const fileIds = before.attachments.map(({ id }) => id);
  const attachmentIds = input.attachmentIds ?? fileIds;
  const changed = changedFields(
    { ...contentOf(before), isShared: before.isShared, attachments: fileIds },
    { ...content, isShared, attachments: [...attachmentIds].sort() },
  );
  if (changed.length === 0) return { before, after: before };
  await tx
    .run(sql`
      update saved_replies
      set owner_id = ${isShared ? null : userId}, name = ${content.name}, name_key = ${foldText(content.name)},
        shortcut = ${content.shortcut}, subject = ${content.subject}, body = ${content.body},
        body_html = ${content.bodyHtml}, actions = ${JSON.stringify(content.actions)},
        search = ${searchVectorOf(content)}::tsvector, version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${savedReplyId}`)
    .catch((error) => Promise.reject(asShortcutFault(error)));
  await releaseFiles(tx, workspaceId, {
    savedReplyId,
    attachmentIds: fileIds.filter((id) => !attachmentIds.includes(id)),
  });
  await claimFiles(tx, actor, { savedReplyId, attachmentIds, kept: fileIds });
  if (isShared || before.isShared) {
    const data = { name: content.name, changed };
    await audit(tx, actor, { type: 'saved_reply.changed', subjectId: savedReplyId, data });
  }
  return { before, after: await getSavedReply(tx, actor, { savedReplyId, now: tx.now }) };
}

/** A shared reply may be deleted by its creator and by members who manage members. Its files are swept later. */
export async function deleteSavedReply(tx: Tx, actor: Actor, savedReplyId: string): Promise<StoredSavedReply> {
  const { workspaceId, userId } = actor;
  await refuseInUse(tx, workspaceId, { kind: 'saved_reply', id: savedReplyId });
  const reply = await lockSavedReply(tx, actor, savedReplyId);
  if (reply.isShared && reply.createdBy !== userId && !roleMay(actor.role, 'member.manage'))
    throw new AppError('auth.role_insufficient');
  await releaseFiles(tx, workspaceId, { savedReplyId, attachmentIds: reply.attachments.map(({ id }) => id) });
  await together([
    tx.run(sql`
      update drafts set saved_reply_id = null, runs_actions = false
      where workspace_id = ${workspaceId} and saved_reply_id = ${savedReplyId}`),
    tx.run(sql`delete from saved_replies where workspace_id = ${workspaceId} and id = ${savedReplyId}`),
    reply.isShared
      ? audit(tx, actor, { type: 'saved_reply.deleted', subjectId: savedReplyId, data: { name: reply.name } })
      : undefined,
  ]);
  return reply;
}

async function lockSavedReply(tx: Tx, actor: Actor, savedReplyId: string): Promise<StoredSavedReply> {
  await tx.run(sql`
    select from saved_replies where workspace_id = ${actor.workspaceId} and id = ${savedReplyId} for update`);
  return getSavedReply(tx, actor, { savedReplyId, now: tx.now });
}

type Content = {
  name: string;
  shortcut: string | null;
  subject: string | null;
  body: string;
  bodyHtml: string | null;
  actions: ReplyActions;
};

/** Throws 400 for a reply without text and actions, and for variables that do not exist. */
function contentOf({
  name,
  shortcut = null,
  subject = null,
  body,
  bodyHtml: html,
  actions = {},
}: Pick<SavedReplyInput, 'name' | 'shortcut' | 'subject' | 'body' | 'bodyHtml' | 'actions'>): Content {
  const bodyHtml = html ? sanitizeHtml(html).trim() || null : null;
  const content = { name, shortcut, subject, body: bodyHtml === null ? body : textOfHtml(bodyHtml), bodyHtml, actions };
  const hasText = content.body.trim() !== '' || bodyHtml?.includes('<img ');
  if (!hasText && Object.keys(actions).length === 0) throw invalidRequest({ path: 'body.body', key: 'empty_reply' });
  for (const [path, text] of Object.entries({ subject, body: content.body, bodyHtml }))
    checkVariables(path, text ?? '');
  return content;
}

function checkVariables(path: string, text: string): void {
  const { count, unknown } = placeholdersIn(text);
  if (unknown.length > 0)
    throw invalidRequest({
      path: `body.${path}`,
      key: 'unknown_variables',
      params: { names: unknown.slice(0, 10).join(', ') },
    });
  if (count > placeholdersMax)
    throw invalidRequest({ path: `body.${path}`, key: 'too_many_variables', params: { limit: placeholdersMax } });
}

async function checkActions(tx: Tx, { workspaceId }: Actor, actions: ReplyActions): Promise<void> {
  foldTags(actions.addTags ?? [], 'body.actions.addTags');
  if (actions.reason !== undefined && actions.status === undefined)
    throw invalidRequest({ path: 'body.actions.reason', key: 'needs_status' });
  const { assignee, mailboxId, teamId } = actions;
  if (mailboxId) await requireConnected(tx, workspaceId, mailboxId, 'body.actions.mailboxId');
  if (teamId) await requireTeam(tx, workspaceId, teamId, 'body.actions.teamId');
  if (assignee === undefined || assignee === 'me' || assignee === 'none') return;
  const member = await tx.maybe(sql`
    select from members where workspace_id = ${workspaceId} and user_id = ${assignee} and removed_at is null`);
  if (member === undefined) throw invalidRequest({ path: 'body.actions.assignee', key: 'not_a_member' });
}

/** The text of a reply's tsvector. */
export function searchVectorOf({ name, shortcut, body }: Pick<Content, 'name' | 'shortcut' | 'body'>): string {
  return [...new Set(searchWords(`${name} ${shortcut ?? ''} ${body}`))].join(' ');
}

function asShortcutFault(error: unknown): unknown {
  return brokenConstraint(error) === 'saved_replies_shortcut' ? new AppError('saved_reply.shortcut_taken') : error;
}

/** Creations take turns, so that two concurrent ones cannot exceed the limit. */
async function refuseTooManyReplies(tx: Tx, { workspaceId, userId }: Actor, isShared: boolean): Promise<void> {
  const kind = isShared ? sql`owner_id is null` : sql`owner_id = ${userId}`;
  const max = isShared ? sharedMax : ownMax;
  const [, { count }] = await together([
    lockWorkspace(tx, workspaceId),
    tx.one<{ count: number }>(sql`select count(*) from saved_replies where workspace_id = ${workspaceId} and ${kind}`),
  ]);
  if (count >= max) throw new AppError('saved_reply.too_many', { max });
}
