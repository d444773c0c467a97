import { createHash } from 'node:crypto';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';

/** An index row holds at most 2,704 bytes, so longer ids are stored as their hash. */
const plainBytesMax = 512;

/** The form of a Message-ID in `mail_ids`. */
export function mailIdKey(rfcMessageId: string): string {
  if (Buffer.byteLength(rfcMessageId) <= plainBytesMax) return rfcMessageId;
  return `sha256:${createHash('sha256').update(rfcMessageId).digest('hex')}`;
}

/** Finds the outbound message that was mailed with this Message-ID. */
export async function findSentMessage(
  db: Queryable,
  workspaceId: WorkspaceId,
  rfcMessageId: string,
): Promise<MessageId | undefined> {
  const sent = await db.maybe<{ id: MessageId }>(sql`
    select m.id
    from mail_ids i
    join messages m on m.workspace_id = ${workspaceId} and m.id = i.message_id
    where i.workspace_id = ${workspaceId} and i.rfc_message_id = ${mailIdKey(rfcMessageId)}
      and m.direction = 'outbound'`);
  return sent?.id;
}

/** Finds the message with this Message-ID and this author. */
export async function findMessageOfMail(
  db: Queryable,
  workspaceId: WorkspaceId,
  { rfcMessageId, authorEmails }: { rfcMessageId: string; authorEmails: readonly string[] },
): Promise<MessageId | undefined> {
  const message = await db.maybe<{ id: MessageId }>(sql`
    select m.id
    from mail_ids i
    join messages m on m.workspace_id = ${workspaceId} and m.id = i.message_id
    where i.workspace_id = ${workspaceId} and i.rfc_message_id = ${mailIdKey(rfcMessageId)}
      and lower(m.author_email) = any(${authorEmails.map((email) => email.toLowerCase())}::text[])`);
  return message?.id;
}

/** Whether a message with this Message-ID is already stored. */
export async function isMailIdTaken(tx: Tx, workspaceId: WorkspaceId, rfcMessageId: string): Promise<boolean> {
  const taken = await tx.maybe(sql`
    select from mail_ids
    where workspace_id = ${workspaceId} and rfc_message_id = ${mailIdKey(rfcMessageId)} and message_id is not null`);
  return taken !== undefined;
}

/** Stores every id that a mail of the ticket names. The mail's own id points to its message unless already taken. */
export async function nameMailIds(
  tx: Tx,
  { workspaceId, ticketId }: { workspaceId: WorkspaceId; ticketId: TicketId },
  { ids, own }: { ids: readonly string[]; own: { id: string; messageId: MessageId } | null },
): Promise<void> {
  const keys = [...new Set([...ids, ...(own === null ? [] : [own.id])].map(mailIdKey))];
  if (keys.length === 0) return;
  const ownKey = own === null ? null : mailIdKey(own.id);
  await tx.run(sql`
    insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
    select ${workspaceId}, key, ${ticketId}, case when key = ${ownKey}::text then ${own?.messageId ?? null}::uuid end
    from unnest(${keys}::text[]) key
    on conflict (workspace_id, rfc_message_id) do update
    set ticket_id = excluded.ticket_id, message_id = excluded.message_id
    where excluded.message_id is not null and mail_ids.message_id is null`);
}
