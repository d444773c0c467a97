import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { isUuid, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { IssueKey } from '../../ground/lib/issues.ts';
import { isContactShown } from '../../helpdesk/contacts/queries.ts';
import { readTeam } from './filters.ts';
import type { ListTicketsQuery } from './schema.ts';

/**
 * Throws 400 where a query that is kept or changed by names a mailbox, member, team or contact that does not exist, or
 * a hidden contact.
 * @param before the same query until now, which may name what has gone since
 * @param path where in the request the query is
 */
export async function requireNamed(
  db: Queryable,
  actor: Actor,
  query: ListTicketsQuery,
  before: ListTicketsQuery = {},
  path = 'body.query',
): Promise<void> {
  const { workspaceId } = actor;
  const [asked, kept] = [idsIn(query), idsIn(before)];
  const named: [name: keyof typeof asked, key: IssueKey, known: Sql][] = [
    ['mailbox', 'not_a_mailbox', sql`select id from mailboxes where workspace_id = ${workspaceId}`],
    ['assignee', 'not_a_member', sql`select user_id from members where workspace_id = ${workspaceId}`],
    [
      'contact',
      'not_a_contact',
      sql`
        select c.id from contacts c
        where c.workspace_id = ${workspaceId} and c.id = any(${asked.contact}::uuid[]) and ${isContactShown(actor)}`,
    ],
  ];
  await requireTeams(db, workspaceId, query, { path: `${path}.team`, kept: before.team });
  for (const [name, key, known] of named) {
    const ids = asked[name].filter((id) => !kept[name].includes(id));
    if (ids.length === 0) continue;
    const unknown = await db.rows(sql`select from unnest(${ids}::uuid[]) as one (id) where one.id not in (${known})`);
    if (unknown.length > 0) throw invalidRequest({ path: `${path}.${name}`, key });
  }
}

/** Throws 400 where a query asks for what can be no team. @returns the ids that it asks for */
export function readTeamIds({ team = [] }: ListTicketsQuery, path: string): string[] {
  const ids = team.map(readTeam).filter((one) => one !== 'mine' && one !== 'none');
  if (!ids.every(isUuid)) throw invalidRequest({ path, key: 'not_a_team' });
  return ids;
}

async function requireTeams(
  db: Queryable,
  workspaceId: WorkspaceId,
  { team = [] }: ListTicketsQuery,
  { path, kept = [] }: { path: string; kept?: readonly string[] | undefined },
): Promise<void> {
  const before = new Set(kept.map(readTeam));
  const asked = readTeamIds({ team: team.filter((one) => !before.has(readTeam(one))) }, path);
  if (asked.length === 0) return;
  const unknown = await db.maybe(sql`
    select from unnest(${asked}::uuid[]) as one (id)
    where one.id not in (select id from teams where workspace_id = ${workspaceId})
    limit 1`);
  if (unknown !== undefined) throw invalidRequest({ path, key: 'not_a_team' });
}

function idsIn({ mailbox = [], assignee = [], contact }: ListTicketsQuery) {
  const members = assignee.map((one) => one.trim().toLowerCase()).filter(isUuid);
  return { mailbox, assignee: members, contact: contact === undefined ? [] : [contact as string] };
}
