import type { Actor } from '../../ground/catalog/actor.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Asked } from './asked.ts';
import { figuresOf, type Keys, readParts } from './figures.ts';
import type { Grouping, Groups } from './schema.ts';
import { readReportSettings } from './settings.ts';

const groupsMax = 50;

/** What a key is of: the ticket for all parts, or the member who did it. */
const keysOf: Record<Grouping, Keys> = {
  mailbox: ofTicket(sql`t.mailbox_id::text`),
  team: ofTicket(sql`t.team_id::text`),
  priority: ofTicket(sql`t.priority`),
  channel: ofTicket(sql`t.channel`),
  tag: { ...ofTicket(sql`tagged.key`), from: sql`cross join lateral unnest(t.tags) tagged (key)` },
  member: {
    created: undefined,
    response: sql`r.user_id::text`,
    resolution: sql`m.resolved_by::text`,
    reopened: undefined,
  },
};

function ofTicket(key: Sql): Keys {
  return { created: key, response: key, resolution: key, reopened: key };
}

/** The figures of each mailbox, team, member, tag, priority or channel, those with the most first. */
export async function readGroups(db: Queryable, actor: Actor, asked: Asked, by: Grouping): Promise<Groups> {
  const members = by === 'member' ? await shownMembers(db, actor) : undefined;
  const parts = (await readParts(db, asked, keysOf[by])).filter(({ isTotal }) => !isTotal);
  const groups = [...Map.groupBy(parts, ({ key }) => key)]
    .filter(([key]) => members === undefined || (key !== null && members.has(key)))
    .map(([key, rows]) => ({ key, ...figuresOf(rows), size: Math.max(...rows.map(({ count }) => count)) }))
    .sort((one, other) => other.size - one.size)
    .slice(0, groupsMax);
  const names = await readNames(
    db,
    actor,
    by,
    groups.flatMap(({ key }) => key ?? []),
  );
  return {
    isComplete: asked.isComplete,
    groups: groups.map(({ size, ...group }) => ({ ...group, name: nameOf(by, group.key, names) })),
  };
}

function nameOf(by: Grouping, key: string | null, names: ReadonlyMap<string, string>): string | null {
  if (key === null) return null;
  return by in namesOf ? (names.get(key) ?? null) : key;
}

/**
 * Whose figures an actor sees: admins all, leads those of their teams, everybody their own. Undefined: of all.
 * Throws 403 where the workspace compares no members.
 */
async function shownMembers(db: Queryable, actor: Actor): Promise<ReadonlySet<string> | undefined> {
  const { workspaceId, userId, role } = actor;
  if (!(await readReportSettings(db, workspaceId)).showsMembers) throw new AppError('report.members_not_shown');
  if (roleMay(role, 'workspace.manage')) return undefined;
  const led = await db.rows<{ userId: string }>(sql`
    select inside.user_id as "userId"
    from team_members lead
    join team_members inside on inside.workspace_id = ${workspaceId} and inside.team_id = lead.team_id
    where lead.workspace_id = ${workspaceId} and lead.user_id = ${userId} and lead.is_lead`);
  return new Set([userId, ...led.map((member) => member.userId)]);
}

type Named = { id: string; name: string };

async function readNames(db: Queryable, actor: Actor, by: Grouping, ids: readonly string[]) {
  const read = namesOf[by];
  const rows = read === undefined || ids.length === 0 ? [] : await read(db, actor, ids);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const namesOf: Partial<Record<Grouping, (db: Queryable, actor: Actor, ids: readonly string[]) => Promise<Named[]>>> = {
  mailbox: (db, { workspaceId }, ids) =>
    db.rows<Named>(sql`
      select id, coalesce(name, address) as name from mailboxes
      where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`),
  team: (db, { workspaceId }, ids) =>
    db.rows<Named>(sql`select id, name from teams where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`),
  member: (db, { workspaceId }, ids) =>
    db.rows<Named>(sql`
      select u.id, coalesce(u.name, u.email) as name
      from members m
      join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.user_id = any(${ids}::uuid[])`),
};
