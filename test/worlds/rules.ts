import { runOnFacts } from '../../src/automation/rules/read-facts.ts';
import type { House } from '../harness/harness.ts';
import type { Person } from './factories.ts';

/** What a test says of a rule; it is active unless it says otherwise. */
export async function makeRule(owner: Person, rule: object): Promise<any> {
  const name = `Rule ${Math.random()}`;
  const { status, body } = await owner.call('POST', '/rules', { name, isActive: true, ...rule });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** Runs the rules of a workspace until there is no fact left, those that their own changes make too. */
export async function runRulesNow(house: House, { workspaceId }: Person): Promise<void> {
  for (;;) {
    const before = await unreadFacts(house, workspaceId);
    if (before === 0) return;
    await house.app.db.tx((tx) => runOnFacts(tx, workspaceId));
  }
}

/** How many facts the reader of a workspace has before it. */
export async function unreadFacts(house: House, workspaceId: string): Promise<number> {
  const { rows } = await house.app.db.pool.query(
    `select count(*)::integer as count from activity a join rule_readers r on r.workspace_id = a.workspace_id
     where a.workspace_id = $1 and (a.transaction_id, a.id) > (r.read_transaction_id, r.read_id)`,
    [workspaceId],
  );
  return rows[0].count;
}

/** Rule name, outcome and what was done, the oldest first. */
export async function runsOf(person: Person, ticketId: string): Promise<unknown[]> {
  const { body } = await person.call('GET', `/tickets/${ticketId}/rule-runs`);
  return body.items
    .reverse()
    .map(({ ruleName, outcome, did, error }: Record<string, unknown>) =>
      error === null ? [ruleName, outcome, did] : [ruleName, outcome, error],
    );
}
