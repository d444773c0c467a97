import type { Actor } from '../catalog/actor.ts';
import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { IssueKey } from '../lib/issues.ts';
import type { ListTicketsQuery } from './schema.ts';

/** Throws 400 where a query that is kept or changed by names a mailbox, member or contact that does not exist. */
export async function requireNamed(db: Queryable, { workspaceId }: Actor, query: ListTicketsQuery): Promise<void> {
  const { mailbox = [], assignee = [], contact } = query;
  const members = assignee.map((one) => one.trim().toLowerCase()).filter(isUuid);
  const named: [name: string, key: IssueKey, ids: string[], known: Sql][] = [
    ['mailbox', 'not_a_mailbox', mailbox, sql`select id from mailboxes where workspace_id = ${workspaceId}`],
    ['assignee', 'not_a_member', members, sql`select user_id from members where workspace_id = ${workspaceId}`],
    [
      'contact',
      'not_a_contact',
      contact === undefined ? [] : [contact],
      sql`select id from contacts where workspace_id = ${workspaceId} and id = ${contact ?? null}`,
    ],
  ];
  for (const [name, key, ids, known] of named) {
    if (ids.length === 0) continue;
    const unknown = await db.rows(sql`select from unnest(${ids}::uuid[]) as one (id) where one.id not in (${known})`);
    if (unknown.length > 0) throw invalidRequest({ path: `body.query.${name}`, key });
  }
}
