import type { Scope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { hasTags } from '../lists/filters.ts';
import { readTagColours } from './colours.ts';
import { countReferences } from './references.ts';
import type { Tag, TagUse } from './schema.ts';

/** How many of the newest tickets a list of tags reads. */
const ticketsRead = 100_000;
const listedMax = 1_000;

/** Tickets in the trash, in spam, or merged into another one keep their tags, so no list counts them. */
const areShown = sql`t.trashed_at is null and t.spam_at is null and t.merged_into_id is null`;

/** The tickets whose tag a rename or a deletion changes. */
export function ticketsWithTag(scope: Scope, tag: string): Sql[] {
  const { workspaceId } = scope;
  return [sql`t.workspace_id = ${workspaceId}`, visible(scope, 't'), areShown, hasTags(workspaceId, [tag])];
}

/** The tags of the newest tickets, and all that have a colour: those with the most open tickets first. */
export async function listTags(db: Queryable, scope: Scope): Promise<Tag[]> {
  const { workspaceId } = scope;
  const used = await db.rows<Omit<Tag, 'colour'> & { key: string }>(
    plannedAnew(sql`
      select g.key, mode() within group (order by g.tag) as tag, count(*) as tickets,
        count(*) filter (where t.status = 'open' and t.archived_at is null) as "openTickets",
        max(t.last_message_at) as "lastUsedAt"
      from (
        select t.tags, t.tag_keys, t.status, t.archived_at, t.last_message_at
        from tickets t
        where t.workspace_id = ${workspaceId} and ${visible(scope, 't')} and ${areShown}
        order by t.last_message_at desc
        limit ${ticketsRead}
      ) t
      cross join lateral unnest(t.tags, t.tag_keys) g (tag, key)
      group by g.key
      order by "openTickets" desc, "lastUsedAt" desc, g.key
      limit ${listedMax}`),
  );
  const coloured = new Map((await readTagColours(db, workspaceId)).map((each) => [caseKey(each.tag), each]));
  const listed = used.map(({ key, ...each }): Tag => ({ ...each, colour: coloured.get(key)?.colour ?? null }));
  const keys = new Set(used.map(({ key }) => key));
  const unused = [...coloured].filter(([key]) => !keys.has(key));
  const none = { openTickets: 0, tickets: 0, lastUsedAt: null };
  return [...listed, ...unused.map(([, { tag, colour }]): Tag => ({ tag, ...none, colour }))];
}

/** Counts the tickets and references that a rename or a deletion of the tag would change. */
export async function readTagUse(db: Queryable, scope: Scope, tag: string): Promise<TagUse> {
  const { workspaceId } = scope;
  const counts = await db.one<Pick<TagUse, 'tickets' | 'openTickets'>>(
    plannedAnew(sql`
      select count(*) as tickets,
        count(*) filter (where t.status = 'open' and t.archived_at is null) as "openTickets"
      from tickets t
      where ${joinSql(ticketsWithTag(scope, tag), ' and ')}`),
  );
  return { ...counts, ...(await countReferences(db, workspaceId, tag)) };
}

/** The spelling of the newest ticket with the tag; undefined if no ticket has it. */
export async function findSpelling(db: Queryable, scope: Scope, tag: string): Promise<string | undefined> {
  const found = await db.maybe<{ tags: string[] }>(
    plannedAnew(sql`
      select t.tags from tickets t
      where ${joinSql(ticketsWithTag(scope, tag), ' and ')}
      order by t.last_message_at desc
      limit 1`),
  );
  return found?.tags.find((each) => caseKey(each) === caseKey(tag));
}
