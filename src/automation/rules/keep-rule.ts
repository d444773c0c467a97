import { audit } from '../../access/audit/audit.ts';
import { setUses } from '../../access/uses/set-uses.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { nameKey } from '../../ground/lib/text.ts';
import { keepReader, lockReader } from '../readers/keep-reader.ts';
import { checkRule, isWide } from './check-rule.ts';
import { getRule, listRules } from './queries.ts';
import { requireReferences, usesOf } from './references.ts';
import { type CreateRule, type Rule, type RuleContent, rulesMax, type UpdateRule } from './schema.ts';
import { beginTimers, endTimers } from './timers.ts';

type Ref = { ruleId: string };
type Confirmed = { confirm?: boolean | undefined };

/** Makes a rule at the end of the order. */
export async function createRule(
  tx: Tx,
  actor: Actor,
  { isActive = false, confirm, ...input }: CreateRule,
): Promise<Rule> {
  const { workspaceId, userId } = actor;
  const content = { conditions: null, onRules: false, stopAfter: false, ...input };
  checkRule(content);
  const rules = await lockRules(tx, workspaceId);
  if (rules.length >= rulesMax) throw new AppError('rule.too_many', { max: rulesMax });
  refuseTaken(rules, { id: null, name: content.name });
  await requireReferences(tx, actor, content);
  if (isActive) requireConfirmed(content, { confirm });
  const id = tx.newId();
  const { name, trigger, conditions, actions, onRules, stopAfter } = stored(content);
  await together([
    tx.run(sql`
      insert into rules (workspace_id, id, name, name_key, position, active_since, trigger, conditions, actions,
        on_rules, stop_after, version, changed_by_id, created_at, updated_at)
      values (${workspaceId}, ${id}, ${name}, ${nameKey(name)}, ${(rules.at(-1)?.position ?? -1) + 1},
        ${isActive ? tx.now : null}, ${trigger}, ${conditions}, ${actions}, ${onRules}, ${stopAfter}, 1, ${userId},
        ${tx.now}, ${tx.now})`),
    writeVersion(tx, actor, { id, version: 1, content }),
    setUses(tx, workspaceId, { kind: 'rule', id }, usesOf(content)),
    audit(tx, actor, { type: 'rule.created', subjectId: id, data: { name } }),
  ]);
  if (isActive) {
    await beginTimers(tx, { workspaceId, ruleId: id }, content);
    await keepReader(tx, workspaceId);
  }
  return getRule(tx, { workspaceId, ruleId: id });
}

/** Changes the given fields. Each change of what the rule says makes a version. */
export async function updateRule(
  tx: Tx,
  actor: Actor,
  { ruleId, ifMatch, confirm, ...input }: UpdateRule & Ref & { ifMatch: string[] | undefined },
): Promise<Rule> {
  const { workspaceId, userId } = actor;
  const rules = await lockRules(tx, workspaceId);
  const rule = await getRule(tx, { workspaceId, ruleId });
  if (ifMatch !== undefined && !ifMatch.includes(`"${rule.version}"`))
    throw new AppError('rule.version_mismatch', { currentVersion: rule.version });
  const before = contentOf(rule);
  const content = { ...before, ...input };
  checkRule(content);
  const changed = changedFields(before, content);
  if (changed.length === 0) return rule;
  refuseTaken(rules, { id: ruleId, name: content.name });
  await requireReferences(tx, actor, content, before);
  if (rule.isActive) requireConfirmed(content, { confirm });
  const { name, trigger, conditions, actions, onRules, stopAfter } = stored(content);
  await together([
    tx.run(sql`
      update rules
      set name = ${name}, name_key = ${nameKey(name)}, trigger = ${trigger}, conditions = ${conditions},
        actions = ${actions}, on_rules = ${onRules}, stop_after = ${stopAfter}, version = version + 1,
        changed_by_id = ${userId}, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${ruleId}`),
    changed.includes('trigger') && endTimers(tx, { workspaceId, ruleId, evenDone: true }),
    changed.includes('trigger') && rule.isActive && beginTimers(tx, { workspaceId, ruleId }, content),
    writeVersion(tx, actor, { id: ruleId, version: rule.version + 1, content }),
    setUses(tx, workspaceId, { kind: 'rule', id: ruleId }, usesOf(content)),
    audit(tx, actor, { type: 'rule.changed', subjectId: ruleId, data: { name, changed } }),
  ]);
  return getRule(tx, { workspaceId, ruleId });
}

/** Its runs stay, with the versions that they name. */
export async function deleteRule(tx: Tx, actor: Actor, { ruleId }: Ref): Promise<void> {
  const { workspaceId } = actor;
  await lockRules(tx, workspaceId);
  const { name } = await getRule(tx, { workspaceId, ruleId });
  await together([
    tx.run(sql`delete from rules where workspace_id = ${workspaceId} and id = ${ruleId}`),
    setUses(tx, workspaceId, { kind: 'rule', id: ruleId }, []),
    audit(tx, actor, { type: 'rule.deleted', subjectId: ruleId, data: { name } }),
  ]);
  await keepReader(tx, workspaceId);
}

/** Throws 409 if the ids are not those of all rules, as after a colleague's change. */
export async function orderRules(tx: Tx, { workspaceId }: Actor, ids: readonly string[]): Promise<Rule[]> {
  const rules = await lockRules(tx, workspaceId);
  const asked = new Set(ids);
  if (asked.size !== ids.length || asked.size !== rules.length || !rules.every(({ id }) => asked.has(id)))
    throw new AppError('rule.order_changed');
  await tx.run(sql`
    update rules r set position = o.position - 1
    from unnest(${[...ids]}::uuid[]) with ordinality as o (id, position)
    where r.workspace_id = ${workspaceId} and r.id = o.id`);
  return listRules(tx, workspaceId);
}

/** From now on the rule runs. Throws 409 if it names what is gone, or may mail everybody without `confirm`. */
export async function activateRule(tx: Tx, actor: Actor, { ruleId, confirm }: Ref & Confirmed): Promise<Rule> {
  const { workspaceId } = actor;
  await lockRules(tx, workspaceId);
  const rule = await getRule(tx, { workspaceId, ruleId });
  if (rule.isActive) return rule;
  await requireReferences(tx, actor, rule);
  requireConfirmed(rule, { confirm });
  await together([
    tx.run(sql`
      update rules set active_since = ${tx.now}, paused_reason = null, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${ruleId}`),
    beginTimers(tx, { workspaceId, ruleId }, rule),
    audit(tx, actor, { type: 'rule.activated', subjectId: ruleId, data: { name: rule.name } }),
  ]);
  await keepReader(tx, workspaceId);
  return getRule(tx, { workspaceId, ruleId });
}

export async function pauseRule(tx: Tx, actor: Actor, { ruleId }: Ref): Promise<Rule> {
  const { workspaceId } = actor;
  await lockRules(tx, workspaceId);
  const rule = await getRule(tx, { workspaceId, ruleId });
  if (!rule.isActive) return rule;
  await together([
    tx.run(sql`
      update rules set active_since = null, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${ruleId}`),
    endTimers(tx, { workspaceId, ruleId }),
    audit(tx, actor, { type: 'rule.paused', subjectId: ruleId, data: { name: rule.name, reason: null } }),
  ]);
  await keepReader(tx, workspaceId);
  return getRule(tx, { workspaceId, ruleId });
}

/** Changes of rules take turns with each other and with the reader that runs them. */
export async function lockRules(tx: Tx, workspaceId: WorkspaceId): Promise<Rule[]> {
  await together([lockWorkspace(tx, workspaceId), lockReader(tx, workspaceId)]);
  return listRules(tx, workspaceId);
}

export function contentOf({ name, trigger, conditions, actions, onRules, stopAfter }: RuleContent): RuleContent {
  return { name, trigger, conditions, actions, onRules, stopAfter };
}

/** Throws 409 for a rule that may mail everybody, unless somebody has confirmed that. */
function requireConfirmed(rule: RuleContent, { confirm = false }: Confirmed): void {
  if (!confirm && isWide(rule)) throw new AppError('rule.unconfirmed');
}

function refuseTaken(rules: readonly Rule[], { id, name }: { id: string | null; name: string }): void {
  const key = nameKey(name);
  if (rules.some((rule) => rule.id !== id && nameKey(rule.name) === key)) throw new AppError('rule.name_taken');
}

const stored = ({ trigger, conditions, actions, ...content }: RuleContent) => ({
  ...content,
  trigger: JSON.stringify(trigger),
  conditions: conditions === null ? null : JSON.stringify(conditions),
  actions: JSON.stringify(actions),
});

type Version = { id: string; version: number; content: RuleContent };

function writeVersion(
  tx: Tx,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  { id, version, content }: Version,
): Promise<number> {
  const { name, trigger, conditions, actions, onRules, stopAfter } = stored(content);
  return tx.run(sql`
    insert into rule_versions (workspace_id, id, rule_id, version, name, trigger, conditions, actions, on_rules,
      stop_after, changed_by_id, created_at)
    values (${workspaceId}, ${tx.newId()}, ${id}, ${version}, ${name}, ${trigger}, ${conditions}, ${actions},
      ${onRules}, ${stopAfter}, ${userId}, ${tx.now})`);
}
