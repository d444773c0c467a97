import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { beginChangeWhere } from '../bulk/keep-bulk-change.ts';
import type { BulkChange, QueryChange } from '../bulk/schema.ts';
import { moveColour, readTagColours } from './colours.ts';
import { findSpelling, readTagUse, ticketsWithTag } from './queries.ts';
import { replaceReferences } from './references.ts';
import type { RenameTag, TagChange } from './schema.ts';

/**
 * Renames a tag everywhere. Mailboxes, saved replies, rules, views and the colour change at once, the tickets in a bulk
 * change. Throws 409 `tag.exists` unless the caller agrees to merge it into a tag that exists.
 */
export async function renameTag(tx: Tx, actor: Actor, { tag, to, merge = false }: RenameTag): Promise<TagChange> {
  const { workspaceId } = actor;
  if (tag === to) throw invalidRequest({ path: 'body.to', key: 'same_tag' });
  await lockWorkspace(tx, workspaceId);
  const isRespelled = caseKey(tag) === caseKey(to);
  const there = isRespelled ? undefined : await findTag(tx, actor, to);
  if (there !== undefined && !merge) throw new AppError('tag.exists', { tag: there });
  const name = there ?? to;
  const count = await requireUse(tx, actor, tag);
  const bulkChange = await changeTickets(tx, actor, { tag, count }, { removeTags: [tag], addTags: [name] });
  await replaceReferences(tx, actor, { tag, to: name });
  await moveColour(tx, workspaceId, { tag, to: name });
  const data = { from: tag, to: name, isMerged: there !== undefined, count };
  await audit(tx, actor, { type: 'tag.renamed', subjectId: workspaceId, data });
  return { bulkChange };
}

/** Takes a tag away from everything that has it. Saved views that filter by it stay, and find nothing. */
export async function deleteTag(tx: Tx, actor: Actor, { tag }: { tag: string }): Promise<TagChange> {
  const { workspaceId } = actor;
  await lockWorkspace(tx, workspaceId);
  const count = await requireUse(tx, actor, tag);
  const bulkChange = await changeTickets(tx, actor, { tag, count }, { removeTags: [tag] });
  await replaceReferences(tx, actor, { tag, to: null });
  await moveColour(tx, workspaceId, { tag, to: null });
  await audit(tx, actor, { type: 'tag.deleted', subjectId: workspaceId, data: { tag, count } });
  return { bulkChange };
}

/** @returns how many tickets have the tag. Throws 404 if nothing has it. */
async function requireUse(tx: Tx, actor: Actor, tag: string): Promise<number> {
  const { tickets, mailboxes, savedReplies, rules, views } = await readTagUse(tx, actor, tag);
  const colours = await readTagColours(tx, actor.workspaceId);
  const isColoured = colours.some((each) => caseKey(each.tag) === caseKey(tag));
  if (tickets + mailboxes + savedReplies + rules + views === 0 && !isColoured) throw new AppError('tag.not_found');
  return tickets;
}

/** @returns the spelling of a tag that a ticket has, or that has a colour; undefined for an unknown tag */
async function findTag(tx: Tx, actor: Actor, tag: string): Promise<string | undefined> {
  const coloured = (await readTagColours(tx, actor.workspaceId)).find((each) => caseKey(each.tag) === caseKey(tag));
  return (await findSpelling(tx, actor, tag)) ?? coloured?.tag;
}

async function changeTickets(
  tx: Tx,
  actor: Actor,
  { tag, count }: { tag: string; count: number },
  change: QueryChange,
): Promise<BulkChange | null> {
  if (count === 0) return null;
  const conditions = ticketsWithTag(actor, tag);
  return beginChangeWhere(tx, actor, { query: { tags: [tag], archived: 'any' }, conditions, change });
}
