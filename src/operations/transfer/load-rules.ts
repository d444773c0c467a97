import type { Static } from 'typebox';
import { setUses } from '../../access/uses/set-uses.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { checkRule } from '../../automation/rules/check-rule.ts';
import { usesOf } from '../../automation/rules/references.ts';
import { ruleNameMax, rulesMax } from '../../automation/rules/schema.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { nameKey } from '../../ground/lib/text.ts';
import { withIdsHere } from './ids-here.ts';
import { load, otherName, type SettingOutcome, type SettingsTarget } from './load-settings.ts';
import { RefusedRecord } from './problems.ts';
import type { ReadRecord } from './read-export.ts';
import { rowOf } from './rows.ts';
import type { ruleRecord } from './workspace-records.ts';

/**
 * A rule arrives paused, because what it names may not be here. One that is here already stays, because it may be
 * active. A name that is taken here becomes another.
 */
export async function loadRule(
  tx: Tx,
  { workspaceId, ids }: SettingsTarget,
  { content, hash }: ReadRecord<Static<typeof ruleRecord>>,
): Promise<SettingOutcome> {
  const { conditions = null, onRules = false, stopAfter = false, ...rule } = withIdsHere(content, ids);
  const { id, trigger, actions } = rule;
  const whole = { ...rule, conditions, onRules, stopAfter };
  refuseBroken(() => checkRule(whole));
  await lockWorkspace(tx, workspaceId);
  const others = await tx.one<{ all: number; hasNamesake: boolean }>(sql`
    select count(*) as all, coalesce(bool_or(name_key = ${nameKey(rule.name)}), false) as "hasNamesake"
    from rules where workspace_id = ${workspaceId} and id <> ${id}`);
  if (others.all >= rulesMax) throw new RefusedRecord(`a workspace has ${rulesMax} rules at most`);
  const name = others.hasNamesake ? otherName(rule, ruleNameMax) : rule.name;
  const row = rowOf({ ...whole, name, nameKey: nameKey(name) });
  return load(tx, workspaceId, { table: 'rules', id, hash, row, isKept: true }, async () => {
    await together([
      tx.run(sql`
        update rules set paused_reason = 'import' where workspace_id = ${workspaceId} and id = ${id}`),
      tx.run(sql`
        insert into rule_versions (workspace_id, id, rule_id, version, name, trigger, conditions, actions, on_rules,
          stop_after, changed_by_id, created_at)
        select r.workspace_id, ${tx.newId()}::uuid, r.id, r.version, r.name, r.trigger, r.conditions, r.actions,
          r.on_rules, r.stop_after, r.changed_by_id, ${tx.now}::timestamptz
        from rules r
        where r.workspace_id = ${workspaceId} and r.id = ${id}`),
      setUses(tx, workspaceId, { kind: 'rule', id }, usesOf({ trigger, conditions, actions })),
    ]);
  });
}

function refuseBroken(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [issue] = (error.params.issues ?? []) as { path: string; message: string }[];
    throw new RefusedRecord(`${issue?.path.replace(/^body\./, '')} ${issue?.message}`);
  }
}
