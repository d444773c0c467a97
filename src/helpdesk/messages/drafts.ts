import type { Actor } from '../../ground/catalog/actor.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { isNarrow } from '../../ground/database/sight.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { attachmentJson } from '../files/queries.ts';
import type { DraftKind, StoredDraft } from './draft-schema.ts';

/** Names a draft: by its id, or as the member's only answer or note on a ticket. */
export type DraftKey = { draftId: string } | { ticketId: TicketId; kind: DraftKind };

/** The draft as its member saw it last. What is missing is not compared. */
export type SeenDraft = { draftId?: string | undefined; version?: number | undefined };

/** Returns undefined when the draft is missing or belongs to another member. */
export function findDraft(db: Queryable, actor: DraftOwner, key: DraftKey): Promise<StoredDraft | undefined> {
  const { workspaceId, userId } = actor;
  return db.maybe<StoredDraft>(sql`
    select ${draftColumns(actor)}
    from drafts d
    where d.workspace_id = ${workspaceId} and d.user_id = ${userId} and ${conditionOf(key)}
      and ${ofVisible(actor, 'd.ticket_id')}`);
}

export type DraftOwner = Scope & Pick<Actor, 'userId'>;

/** A condition on `drafts d`. */
export function conditionOf(key: DraftKey): Sql {
  if ('draftId' in key) return sql`d.id = ${key.draftId}`;
  return sql`d.ticket_id = ${key.ticketId} and d.kind = ${key.kind}`;
}

/** The condition that `drafts d` is still as its member saw it. */
export function isAsSeen({ draftId, version }: SeenDraft): Sql {
  const isSameDraft = draftId === undefined ? sql`true` : sql`d.id = ${draftId}`;
  return version === undefined ? isSameDraft : sql`${isSameDraft} and d.version = ${version}`;
}

/**
 * The condition that the ticket of `drafts d` is neither in the trash nor spam. A narrow API key does not get the
 * drafts of tickets that it does not see.
 */
export function isListed(scope: Scope): Sql {
  const shown = sql`not exists (
    select from tickets t
    where t.workspace_id = ${scope.workspaceId} and t.id = d.ticket_id
      and (t.trashed_at is not null or t.spam_at is not null)
  )`;
  return isNarrow(scope.sight) ? sql`${shown} and ${ofVisible(scope, 'd.ticket_id')}` : shown;
}

/**
 * Lists the actor's own drafts, newest first, without those of tickets in the trash and spam. A text stays its writer's
 * where its ticket is hidden by now: then it names no ticket.
 */
export async function listDrafts(
  db: Queryable,
  actor: Actor,
  { ticketId, limit = 50, cursor }: { ticketId?: TicketId; limit?: number; cursor?: string },
): Promise<Page<StoredDraft>> {
  const { workspaceId, userId } = actor;
  const ofTicket = ticketId === undefined ? emptySql : sql`and d.ticket_id = ${ticketId}`;
  const after = cursor === undefined ? emptySql : sql`and d.id < ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<StoredDraft>(sql`
    select ${draftColumns(actor)}
    from drafts d
    where d.workspace_id = ${workspaceId} and d.user_id = ${userId} ${ofTicket} ${after}
      and ${isListed(actor)}
    order by d.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

function draftColumns(scope: Scope): Sql {
  const { workspaceId } = scope;
  const shown = sql`
      from tickets t
      where t.workspace_id = ${workspaceId} and t.id = d.ticket_id and ${visible(scope, 't')}`;
  return sql`d.id, (select t.id ${shown}) as "ticketId",
    (select json_build_object('ticketNumber', t.ticket_number, 'subject', t.subject) ${shown}) as ticket,
    d.kind, d.subject, d.body, d.body_html as "bodyHtml", d.to_addresses as "to",
    d.cc_addresses as cc, d.bcc_addresses as bcc, d.mailbox_id as "mailboxId", d.from_address as "fromAddress",
    d.last_seen_message_id as "lastSeenMessageId", d.quote, d.forward_of_id as "forwardOf",
    d.saved_reply_id as "savedReplyId", d.runs_actions as "runActions", d.starts_as as "startsAs", d.version,
    d.created_at as "createdAt", d.updated_at as "updatedAt",
    coalesce((
      select json_agg(${attachmentJson} order by array_position(d.attachment_ids, a.id))
      from attachments a
      where a.workspace_id = ${workspaceId} and a.id = any(d.attachment_ids) and a.message_id is null
    ), '[]') as attachments`;
}
