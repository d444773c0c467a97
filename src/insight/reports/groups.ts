import { shownMembers } from '../../access/teams/shown-figures.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Asked } from './asked.ts';
import { figuresOf, type Key, partsBy, readParts, readPartsOfMembers } from './figures.ts';
import type { Figures, Grouping, Groups } from './schema.ts';

const groupsMax = 50;

const keysOf: Record<Exclude<Grouping, 'member'>, Key> = {
  mailbox: { of: sql`t.mailbox_id::text`, needsTicket: true },
  team: { of: sql`t.team_id::text`, needsTicket: true },
  priority: { of: sql`t.priority`, needsTicket: true },
  channel: { of: sql`t.channel`, needsTicket: true },
  tag: { of: sql`tagged.key`, from: sql`cross join lateral unnest(t.tags) tagged (key)`, needsTicket: true },
};

/**
 * The figures of each mailbox, team, member, tag, priority or channel, those with the most first. Throws 403 where the
 * workspace compares no members.
 */
export async function readGroups(db: Queryable, actor: Actor, asked: Asked, by: Grouping): Promise<Groups> {
  const members = by === 'member' ? await shownMembers(db, actor) : 'all';
  if (members === 'none') throw new AppError('report.members_not_shown');
  const parts =
    by === 'member' ? await readPartsOfMembers(db, asked) : await readParts(db, asked, [asked.span], keysOf[by]);
  const groups = [...partsBy(parts, ({ key }) => key)]
    .filter(([key]) => members === 'all' || (key !== null && members.has(key)))
    .map(([key, own]) => ({ key, ...figuresOf(own) }))
    .sort((one, other) => sizeOf(other) - sizeOf(one))
    .slice(0, groupsMax);
  const names = await readNames(
    db,
    actor,
    by,
    groups.flatMap(({ key }) => key ?? []),
  );
  return {
    isComplete: asked.isComplete,
    groups: groups.map((group) => ({ ...group, name: nameOf(by, group.key, names) })),
  };
}

const sizeOf = ({ created, response, resolution }: Figures) => Math.max(created, response.count, resolution.count);

function nameOf(by: Grouping, key: string | null, names: ReadonlyMap<string, string>): string | null {
  if (key === null) return null;
  return by in namesOf ? (names.get(key) ?? null) : key;
}

type Named = { id: string; name: string };

export async function readNames(db: Queryable, actor: Actor, by: Grouping, ids: readonly string[]) {
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
