import type { Scope } from '../../ground/catalog/scope.ts';
import { snippetOf } from '../../ground/database/snippet.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';

/** The columns that each list of a workspace's mailed messages has, of message `m` and its ticket `t`. */
export const listedMailColumns = sql`m.id, m.ticket_id as "ticketId", t.ticket_number as "ticketNumber", t.subject,
  m.author_user_id as "authorUserId", m.author_name as "authorName", m.to_addresses as "to", m.cc_addresses as cc,
  m.bcc_addresses as bcc, ${snippetOf(sql`coalesce(m.reply_text, m.body)`)} as snippet, m.created_at as "createdAt"`;

/** The messages `m` that meet a condition, of tickets `t` that are neither in the trash nor spam. */
export function mailsWhere(scope: Scope, condition: Sql): Sql {
  const { workspaceId } = scope;
  return sql`
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and ${condition} and t.trashed_at is null and t.spam_at is null
      and ${visible(scope, 't')}`;
}
