import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { Rule } from './schema.ts';

export type RuleKey = { workspaceId: WorkspaceId; ruleId: string };

const ruleColumns: Sql = sql`id, name, position, active_since is not null as "isActive",
  paused_reason as "pausedReason", trigger, conditions, actions, on_rules as "onRules", stop_after as "stopAfter",
  run_count as "runCount", last_run_at as "lastRunAt", last_outcome as "lastOutcome", version,
  changed_by_id as "changedBy", created_at as "createdAt", updated_at as "updatedAt"`;

/** In the order in which they run. They are few, so the list has no pages. */
export function listRules(db: Queryable, workspaceId: WorkspaceId): Promise<Rule[]> {
  return db.rows<Rule>(sql`
    select ${ruleColumns} from rules where workspace_id = ${workspaceId} order by position, id`);
}

/** Throws 404. */
export async function getRule(db: Queryable, { workspaceId, ruleId }: RuleKey): Promise<Rule> {
  const rule = await db.maybe<Rule>(sql`
    select ${ruleColumns} from rules where workspace_id = ${workspaceId} and id = ${ruleId}`);
  if (rule === undefined) throw new AppError('rule.not_found');
  return rule;
}
