import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { jsonOf, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import type { AttachmentId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';
import { takeStorage } from '../files/storage-quota.ts';
import { getSavedReply } from '../replies/queries.ts';
import { checkTakesFiles } from './check-takes-files.ts';
import type { DraftKind, DraftText, StoredDraft } from './draft-schema.ts';
import { conditionOf, type DraftKey, type DraftOwner, findDraft, isAsSeen, type SeenDraft } from './drafts.ts';

/** Limits a member's drafts of new tickets. Each ticket has at most one draft answer and one draft note a member. */
const newTicketsMax = 100;

/** Creates the draft of a new ticket. */
export async function createDraft(tx: Tx, actor: Actor, text: DraftText): Promise<StoredDraft> {
  const { workspaceId, userId } = actor;
  await refuseForeign(tx, actor, text);
  const [, { count }] = await together([
    lockWorkspace(tx, workspaceId),
    tx.one<{ count: number }>(sql`
      select count(*) from drafts d
      where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and d.ticket_id is null`),
  ]);
  if (count >= newTicketsMax) throw new AppError('draft.too_many', { max: newTicketsMax });
  const draftId = tx.newId();
  await insertDraft(tx, actor, { draftId, ticketId: null, kind: 'ticket' }, text);
  const draft = await getDraft(tx, actor, { draftId });
  takeStorage(tx, workspaceId, bytesOf(draft));
  return draft;
}

/**
 * Saves the text that a member has written so far. Saving the same text again succeeds.
 * Throws 409 `draft.newer`, with the other text, if another tab has saved since `version`, or has begun another draft
 * than `draftId`. Throws 404 if the draft is gone because it was sent, or may not begin.
 * Throws 413 if the workspace has no storage left; the text saved before stays.
 */
export async function putDraft(
  tx: Tx,
  actor: Actor,
  { version, draftId, ...text }: DraftText & { version: number; draftId?: string },
  key: DraftKey,
  mayBegin: (tx: Tx) => Promise<boolean> = async () => true,
): Promise<StoredDraft> {
  const { workspaceId } = actor;
  await refuseForeign(tx, actor, text);
  if ('ticketId' in key) {
    await checkTakesFiles(tx, actor, key.ticketId);
    // If two tabs create the draft at once, the second tab continues with the row that the first has inserted.
    if (
      version === 0 &&
      draftId === undefined &&
      (await insertDraft(tx, actor, { ...key, draftId: tx.newId() }, text))
    ) {
      if (!(await mayBegin(tx))) throw new AppError('draft.not_found');
      const begun = await getDraft(tx, actor, key);
      takeStorage(tx, workspaceId, bytesOf(begun));
      return begun;
    }
  }
  await tx.run(sql`
    select from drafts d
    where d.workspace_id = ${workspaceId} and d.user_id = ${actor.userId} and ${conditionOf(key)}
      and ${ofVisible(actor, 'd.ticket_id')}
    for update`);
  const before = await getDraft(tx, actor, key);
  const after = { ...contentOf(text), updatedAt: tx.now.toISOString() };
  const isOther = draftId !== undefined && draftId !== before.id;
  if (!isOther && isSame(before, after)) return before;
  if (isOther || before.version !== version) throw new AppError('draft.newer', { draft: before });
  await tx.run(sql`
    update drafts
    set subject = ${after.subject}, body = ${after.body}, body_html = ${after.bodyHtml},
      to_addresses = ${after.to}::text[], cc_addresses = ${after.cc}::text[], bcc_addresses = ${after.bcc}::text[],
      attachment_ids = ${after.attachmentIds}::uuid[],
      mailbox_id = ${after.mailboxId}, from_address = ${after.fromAddress},
      last_seen_message_id = ${after.lastSeenMessageId}, quote = ${after.quote},
      forward_of_id = ${after.forwardOf}, saved_reply_id = ${after.savedReplyId}, runs_actions = ${after.runActions},
      starts_as = ${jsonOf(after.startsAs)}::jsonb,
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${before.id}`);
  const released = before.attachments.map(({ id }) => id).filter((id) => !after.attachmentIds.includes(id));
  await releaseFiles(tx, workspaceId, { draftId: before.id, attachmentIds: released });
  await claimFiles(tx, actor, { draftId: before.id, ticketId: before.ticketId, attachmentIds: after.attachmentIds });
  takeStorage(tx, workspaceId, bytesOf(after) - bytesOf(before));
  return getDraft(tx, actor, { draftId: before.id });
}

export type DroppedDraft = {
  id: string;
  ticketId: TicketId | null;
  kind: DraftKind;
  attachmentIds: AttachmentId[];
  sizeBytes: number;
};

/** What counts as the size of a draft. */
type DraftTexts = { subject: string; body: string; bodyHtml: string | null; to: string[]; cc: string[]; bcc: string[] };

/** Citus counts no bytes in `returning`, so `bytesOf` does. */
const droppedTexts: Sql = sql`
  d.subject, d.body, d.body_html as "bodyHtml", d.to_addresses as "to", d.cc_addresses as cc, d.bcc_addresses as bcc`;

/** Deletes a draft that its member discards. */
export async function discardDraft(tx: Tx, actor: Actor, key: DraftKey, seen: SeenDraft): Promise<DroppedDraft> {
  const dropped = await deleteDraft(tx, actor, key, seen);
  takeStorage(tx, actor.workspaceId, -dropped.sizeBytes);
  return dropped;
}

/**
 * Deletes a draft that was sent or discarded. Releases its files that no message has taken.
 * Throws 404 if the draft is gone, so that only one of two tabs sends it.
 * Throws 409 `draft.newer` if it is not as seen, so that no tab deletes what another has written.
 * The caller subtracts the draft's bytes from the workspace's storage count.
 */
export async function deleteDraft(tx: Tx, owner: DraftOwner, key: DraftKey, seen: SeenDraft): Promise<DroppedDraft> {
  const { workspaceId, userId } = owner;
  const dropped = await tx.maybe<Omit<DroppedDraft, 'sizeBytes'> & DraftTexts>(sql`
    delete from drafts d
    where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and ${conditionOf(key)} and ${isAsSeen(seen)}
    returning d.id, d.ticket_id as "ticketId", d.kind, d.attachment_ids as "attachmentIds", ${droppedTexts}`);
  if (dropped === undefined) throw new AppError('draft.newer', { draft: await getDraft(tx, owner, key) });
  const { id, ticketId, kind, attachmentIds } = dropped;
  await releaseFiles(tx, workspaceId, { draftId: id, attachmentIds });
  return { id, ticketId, kind, attachmentIds, sizeBytes: bytesOf(dropped) };
}

/** Deletes the drafts of a member who leaves. */
export async function dropDraftsOf(
  tx: Tx,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
): Promise<void> {
  const dropped = await tx.rows<{ attachmentIds: AttachmentId[] } & DraftTexts>(sql`
    delete from drafts d where d.workspace_id = ${workspaceId} and d.user_id = ${userId}
    returning d.attachment_ids as "attachmentIds", ${droppedTexts}`);
  const attachmentIds = dropped.flatMap((draft) => draft.attachmentIds);
  await tx.run(sql`
    update attachments set draft_id = null
    where workspace_id = ${workspaceId} and id = any(${attachmentIds}::uuid[])`);
  const bytes = dropped.reduce((sum, texts) => sum + bytesOf(texts), 0);
  takeStorage(tx, workspaceId, -bytes);
}

/** Throws 400 if the draft names a mailbox or message outside its workspace, and 404 for a saved reply. */
async function refuseForeign(
  tx: Tx,
  actor: Actor,
  { mailboxId, lastSeenMessageId, forwardOf, savedReplyId }: DraftText,
): Promise<void> {
  const { workspaceId } = actor;
  if (savedReplyId) await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
  if (mailboxId) await requireConnected(tx, workspaceId, mailboxId);
  const named = Object.entries({ lastSeenMessageId, forwardOf }).flatMap(([name, id]) => (id ? [{ name, id }] : []));
  if (named.length === 0) return;
  const known = await tx.rows<{ id: string }>(sql`
    select m.id from messages m
    where m.workspace_id = ${workspaceId} and m.id = any(${named.map(({ id }) => id)}::uuid[])
      and ${ofVisible(actor, 'm.ticket_id')}`);
  const foreign = named.find(({ id }) => !known.some((message) => message.id === id));
  if (foreign === undefined) return;
  throw invalidRequest({ path: `body.${foreign.name}`, key: 'not_a_message' });
}

/** @returns true if this call inserted the draft, false if the member already had it */
async function insertDraft(
  tx: Tx,
  actor: Actor,
  { draftId, ticketId, kind }: { draftId: string; ticketId: TicketId | null; kind: DraftKind },
  text: DraftText,
): Promise<boolean> {
  const { workspaceId, userId } = actor;
  const { subject, body, bodyHtml, to, cc, bcc, attachmentIds, ...named } = contentOf(text);
  const inserted = await tx.run(sql`
    insert into drafts (workspace_id, id, user_id, ticket_id, kind, subject, body, body_html, to_addresses,
      cc_addresses, bcc_addresses, attachment_ids, mailbox_id, from_address, last_seen_message_id, quote,
      forward_of_id, saved_reply_id, runs_actions, starts_as, version, created_at, updated_at)
    values (${workspaceId}, ${draftId}, ${userId}, ${ticketId}, ${kind}, ${subject}, ${body}, ${bodyHtml},
      ${to}::text[], ${cc}::text[], ${bcc}::text[], ${attachmentIds}::uuid[], ${named.mailboxId},
      ${named.fromAddress}, ${named.lastSeenMessageId}, ${named.quote},
      ${named.forwardOf}, ${named.savedReplyId}, ${named.runActions}, ${jsonOf(named.startsAs)}::jsonb, 1,
      ${tx.now}, ${tx.now})
    on conflict (workspace_id, ticket_id, user_id, kind) where ticket_id is not null do nothing`);
  if (inserted === 0) return false;
  await claimFiles(tx, actor, { draftId, ticketId, attachmentIds });
  return true;
}

function contentOf(text: DraftText) {
  const { subject = '', body = '', to = [], cc = [], bcc = [], attachmentIds = [] } = text;
  return {
    ...{ subject, body, to, cc, bcc },
    bodyHtml: text.bodyHtml === undefined ? null : sanitizeHtml(text.bodyHtml, { keepsMentions: true }).trim() || null,
    attachmentIds: [...new Set(attachmentIds)],
    mailboxId: text.mailboxId ?? null,
    fromAddress: text.fromAddress ?? null,
    lastSeenMessageId: text.lastSeenMessageId ?? null,
    quote: text.quote ?? null,
    forwardOf: text.forwardOf ?? null,
    savedReplyId: text.savedReplyId ?? null,
    runActions: text.runActions ?? false,
    startsAs: text.startsAs ? inOrder(text.startsAs) : null,
  };
}

/** The keys in the order that jsonb keeps. */
function inOrder({ tags, status, assigneeId }: NonNullable<DraftText['startsAs']>) {
  return { tags, status, assigneeId };
}

/** Counts the same bytes as `draftBytes`. */
function bytesOf({ subject, body, bodyHtml, to, cc, bcc }: DraftTexts): number {
  return Buffer.byteLength([subject, body, bodyHtml ?? '', ...to, ...cc, ...bcc].join(''));
}

function isSame(before: StoredDraft, after: ReturnType<typeof contentOf>): boolean {
  const { subject, body, bodyHtml, to, cc, bcc, mailboxId, lastSeenMessageId, attachments } = before;
  const { fromAddress, quote, forwardOf, savedReplyId, runActions, startsAs } = before;
  const kept = {
    subject,
    body,
    to,
    cc,
    bcc,
    bodyHtml,
    attachmentIds: attachments.map(({ id }) => id),
    mailboxId,
    fromAddress,
    lastSeenMessageId,
    quote,
    forwardOf,
    savedReplyId,
    runActions,
    startsAs,
  };
  return Object.entries(kept).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(after[name as keyof typeof kept]),
  );
}

async function getDraft(tx: Tx, actor: DraftOwner, key: DraftKey): Promise<StoredDraft> {
  const draft = await findDraft(tx, actor, key);
  if (draft === undefined) throw new AppError('draft.not_found');
  return draft;
}

type ClaimedFiles = { draftId: string; ticketId: TicketId | null; attachmentIds: readonly AttachmentId[] };

/**
 * Protects the uploads that the draft names from the sweep: uploads of its ticket, and the member's own uploads without
 * a ticket.
 */
async function claimFiles(tx: Tx, { workspaceId, userId }: Actor, { draftId, ticketId, attachmentIds }: ClaimedFiles) {
  if (attachmentIds.length === 0) return;
  const claimed = await tx.run(sql`
    update attachments set draft_id = ${draftId}
    where workspace_id = ${workspaceId} and id = any(${attachmentIds}::uuid[]) and message_id is null
      and saved_reply_id is null
      and (draft_id is null or draft_id = ${draftId})
      and (ticket_id = ${ticketId}::uuid or (ticket_id is null and uploaded_by = ${userId}))`);
  if (claimed === attachmentIds.length) return;
  throw invalidRequest({ path: 'body.attachmentIds', key: 'file_in_use' });
}

async function releaseFiles(
  tx: Tx,
  workspaceId: WorkspaceId,
  { draftId, attachmentIds }: { draftId: string; attachmentIds: readonly AttachmentId[] },
): Promise<void> {
  if (attachmentIds.length === 0) return;
  await tx.run(sql`
    update attachments set draft_id = null
    where workspace_id = ${workspaceId} and id = any(${attachmentIds}::uuid[]) and draft_id = ${draftId}`);
}
