import { audit } from '../../access/audit/audit.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { ReplyActions } from '../../helpdesk/replies/schema.ts';
import { hasTag, type Replacement, replacedActions, replacedTags } from './replaced-tags.ts';

/** The parts of what a rule says that may name a tag. A group of conditions has conditions of its own. */
type Term = { ticket?: { tags?: string[] }; all?: Term[]; any?: Term[] };
type TaggingRule = {
  id: string;
  name: string;
  version: number;
  conditions: Term | null;
  actions: Pick<ReplyActions, 'addTags' | 'removeTags'>;
};

/** The rules whose conditions or actions name a tag. A workspace has few, so the tags are compared here. */
export async function findRulesWithTag(db: Queryable, workspaceId: WorkspaceId, tag: string): Promise<TaggingRule[]> {
  const rules = await db.rows<TaggingRule>(sql`
    select id, name, version, conditions, actions from rules
    where workspace_id = ${workspaceId} and (
      actions->'addTags' is not null or actions->'removeTags' is not null
      or jsonb_path_exists(conditions, 'lax $.**.ticket.tags'))
    order by id`);
  return rules.filter(({ conditions, actions: { addTags = [], removeTags = [] } }) =>
    hasTag([...addTags, ...removeTags, ...(conditions === null ? [] : tagsIn(conditions))], tag),
  );
}

/**
 * Replaces the tag in rules, or takes it from their actions. A condition keeps a deleted tag: without it the rule would
 * run on other tickets than it says. Each rule gets a version by who does it, whose runs say so. The caller has locked
 * the workspace.
 */
export async function replaceInRules(tx: Tx, actor: Actor, change: Replacement): Promise<void> {
  const { workspaceId, userId } = actor;
  // The reader that runs rules waits, and then runs them as they are.
  await tx.run(sql`
    select from rule_readers where workspace_id = ${workspaceId} and id = ${workspaceId} for update`);
  for (const rule of await findRulesWithTag(tx, workspaceId, change.tag)) {
    const { id, name, conditions, actions } = rule;
    const asks = change.to !== null && conditions !== null && hasTag(tagsIn(conditions), change.tag);
    const does = hasTag([...(actions.addTags ?? []), ...(actions.removeTags ?? [])], change.tag);
    const changed = [...(asks ? ['conditions'] : []), ...(does ? ['actions'] : [])];
    if (changed.length === 0) continue;
    const [asked, done] = [
      JSON.stringify(asks && conditions !== null ? replacedIn(conditions, change) : conditions),
      JSON.stringify(does ? actionsAfter(actions, change) : actions),
    ];
    await tx.run(sql`
      update rules
      set conditions = nullif(${asked}::jsonb, 'null'), actions = ${done}::jsonb, version = version + 1,
        changed_by_id = ${userId}, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`);
    await together([
      tx.run(sql`
        insert into rule_versions (workspace_id, id, rule_id, version, name, trigger, conditions, actions, on_rules,
          stop_after, changed_by_id, created_at)
        select ${workspaceId}, ${tx.newId()}, r.id, r.version, r.name, r.trigger, r.conditions, r.actions, r.on_rules,
          r.stop_after, r.changed_by_id, r.updated_at
        from rules r
        where r.workspace_id = ${workspaceId} and r.id = ${id}`),
      audit(tx, actor, { type: 'rule.changed', subjectId: id, data: { name, changed } }),
    ]);
  }
}

function tagsIn({ ticket, all = [], any = [] }: Term): string[] {
  return [...(ticket?.tags ?? []), ...[...all, ...any].flatMap(tagsIn)];
}

function replacedIn({ ticket, all, any, ...rest }: Term, change: Replacement): Term {
  return {
    ...rest,
    ...(ticket && { ticket: ticket.tags ? { ...ticket, tags: replacedTags(ticket.tags, change) } : ticket }),
    ...(all && { all: all.map((term) => replacedIn(term, change)) }),
    ...(any && { any: any.map((term) => replacedIn(term, change)) }),
  };
}

/** A rule that would do nothing else keeps an empty list: it needs an action. */
function actionsAfter(actions: TaggingRule['actions'], change: Replacement): TaggingRule['actions'] {
  const left = replacedActions(actions, change);
  return Object.keys(left).length === 0 ? { addTags: [] } : left;
}
