import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { ReplyActions } from '../../helpdesk/replies/schema.ts';
import { hasTag, type Replacement, replacedActions, replacedTags } from './replaced-tags.ts';
import { findRulesWithTag, replaceInRules } from './rules-with-tag.ts';
import type { TagUse } from './schema.ts';

type References = {
  mailboxes: { id: string; tags: string[] }[];
  savedReplies: { id: string; actions: ReplyActions }[];
  views: { id: string; tags: string[] }[];
};

/** The rows besides tickets that name a tag. Only few rows name any, so the keys are compared here. */
async function findReferences(
  db: Queryable,
  workspaceId: WorkspaceId,
  tag: string,
  lock: Sql = emptySql,
): Promise<References> {
  const mailboxes = await db.rows<{ id: string; tags: string[] }>(sql`
    select id, default_tags as tags from mailboxes
    where workspace_id = ${workspaceId} and default_tags <> '{}'
    order by id ${lock}`);
  const savedReplies = await db.rows<{ id: string; actions: ReplyActions }>(sql`
    select id, actions from saved_replies
    where workspace_id = ${workspaceId} and (actions->'addTags' is not null or actions->'removeTags' is not null)
    order by id ${lock}`);
  const views = await db.rows<{ id: string; tags: string[] }>(sql`
    select id, query->'tags' as tags from views
    where workspace_id = ${workspaceId} and query->'tags' is not null
    order by id ${lock}`);
  return {
    mailboxes: mailboxes.filter(({ tags }) => hasTag(tags, tag)),
    savedReplies: savedReplies.filter(({ actions }) => hasTag(actions.addTags, tag) || hasTag(actions.removeTags, tag)),
    views: views.filter(({ tags }) => hasTag(tags, tag)),
  };
}

export async function countReferences(
  db: Queryable,
  workspaceId: WorkspaceId,
  tag: string,
): Promise<Pick<TagUse, 'mailboxes' | 'savedReplies' | 'views' | 'rules'>> {
  const { mailboxes, savedReplies, views } = await findReferences(db, workspaceId, tag);
  const rules = await findRulesWithTag(db, workspaceId, tag);
  return {
    ...{ mailboxes: mailboxes.length, savedReplies: savedReplies.length },
    ...{ views: views.length, rules: rules.length },
  };
}

/**
 * Replaces the tag in mailboxes, saved replies, rules and views, or removes it there. A view keeps a filter by a
 * deleted tag: without the filter it would show other tickets than its name says.
 */
export async function replaceReferences(tx: Tx, actor: Actor, change: Replacement): Promise<void> {
  const { workspaceId } = actor;
  await replaceInRules(tx, actor, change);
  const found = await findReferences(tx, workspaceId, change.tag, sql`for update`);
  for (const { id, tags } of found.mailboxes)
    await tx.run(sql`
      update mailboxes set default_tags = ${replacedTags(tags, change)}::text[], updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`);
  for (const { id, actions } of found.savedReplies)
    await tx.run(sql`
      update saved_replies
      set actions = ${JSON.stringify(replacedActions(actions, change))}::jsonb, version = version + 1,
        updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`);
  if (change.to === null) return;
  for (const { id, tags } of found.views)
    await tx.run(sql`
      update views
      set query = jsonb_set(query, '{tags}', ${JSON.stringify(replacedTags(tags, change))}::jsonb),
        updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`);
}
