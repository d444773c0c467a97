import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { TagColour } from '../../access/workspaces/schema.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { ColourTag } from './schema.ts';

/** Each page of the web inbox loads them all. */
const colouredMax = 500;

export async function readTagColours(db: Queryable, workspaceId: WorkspaceId): Promise<TagColour[]> {
  const { tagColours } = await db.one<{ tagColours: TagColour[] }>(sql`
    select tag_colours as "tagColours" from workspaces where id = ${workspaceId}`);
  return tagColours;
}

/** Gives a tag a colour, or takes it away. A tag may have a colour before any ticket has the tag. */
export async function colourTag(tx: Tx, actor: Actor, { tag, colour }: ColourTag): Promise<void> {
  const { workspaceId } = actor;
  const before = await lockTagColours(tx, workspaceId);
  const key = caseKey(tag);
  if ((before.find((each) => caseKey(each.tag) === key)?.colour ?? null) === colour) return;
  const others = before.filter((each) => caseKey(each.tag) !== key);
  const after = colour === null ? others : [...others, { tag, colour }];
  if (after.length > colouredMax) throw new AppError('tag.too_many_colours', { max: colouredMax });
  await keepTagColours(tx, workspaceId, after);
  await audit(tx, actor, { type: 'tag.coloured', subjectId: workspaceId, data: { tag, colour } });
}

/** The colour goes along with a rename. A tag that exists keeps its own. */
export async function moveColour(
  tx: Tx,
  workspaceId: WorkspaceId,
  { tag, to }: { tag: string; to: string | null },
): Promise<void> {
  const before = await lockTagColours(tx, workspaceId);
  const key = caseKey(tag);
  const own = before.find((each) => caseKey(each.tag) === key);
  if (own === undefined) return;
  const others = before.filter((each) => each !== own);
  const isFree = to !== null && !others.some((each) => caseKey(each.tag) === caseKey(to));
  await keepTagColours(tx, workspaceId, isFree ? [...others, { ...own, tag: to }] : others);
}

async function lockTagColours(tx: Tx, workspaceId: WorkspaceId): Promise<TagColour[]> {
  await lockWorkspace(tx, workspaceId);
  return readTagColours(tx, workspaceId);
}

async function keepTagColours(tx: Tx, workspaceId: WorkspaceId, colours: readonly TagColour[]): Promise<void> {
  await tx.run(sql`
    update workspaces set tag_colours = ${JSON.stringify(colours)}::jsonb where id = ${workspaceId}`);
}
