import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sql } from '../../src/ground/database/sql.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import { gatherPlans, type Ran, tellPlans } from '../harness/explain.ts';
import { buildReplica } from '../harness/harness.ts';
import { eventsInTwoPhases } from '../harness/one-node.ts';
import { seedWorkspace } from '../worlds/seed-workspace.ts';
import { hotPaths } from './hot-paths.ts';
import { buildWalkedHouse } from './isolation.ts';
import { makeWorld, type World } from './isolation-world.ts';
import { distinct, oneLine } from './plan-faults.ts';

const hasCluster = inject('nodeUrls').length > 1;
const setUpMsMax = 600_000;

/** What Citus adds to a plan of a distributed statement. */
type CitusNode = {
  'Custom Plan Provider'?: string;
  'INSERT/SELECT method'?: string;
  'Distributed Query'?: { Job?: { 'Task Count'?: number } };
  Plans?: CitusNode[];
};

function tasksOf(plan: CitusNode): number {
  const own = plan['Distributed Query']?.Job?.['Task Count'] ?? 0;
  return (plan.Plans ?? []).reduce((sum, inner) => sum + tasksOf(inner), own);
}

function isPulled(plan: CitusNode): boolean {
  return plan['INSERT/SELECT method'] === 'pull to coordinator' || (plan.Plans ?? []).some(isPulled);
}

/** The beginnings of statements of frequent requests that ask more than one node, and why. */
const exceptions: readonly (readonly [beginning: string, why: string])[] = [
  ['select w.id, w.name, m.role from members m', 'It lists the workspaces of a person.'],
  ['select workspace_id as "workspaceId", signature_html as html from members', 'A person has one in each workspace.'],
];

describe.skipIf(!hasCluster)('on a cluster (skipped without CITUS), a frequent request', () => {
  let house: Awaited<ReturnType<typeof buildWalkedHouse>>;
  let world: World;
  let ran: Ran[] = [];
  let replica: Awaited<ReturnType<typeof buildReplica>>;
  const unexpected: string[] = [];

  beforeAll(async () => {
    house = await buildWalkedHouse();
    world = await makeWorld(house, 'ours');
    await seedWorkspace(house, world.owner);
    await tellPlans(house, { 'auto_explain.log_analyze': 'off', 'auto_explain.log_buffers': 'off' });
    replica = await buildReplica(house, 1, (app) => {
      ran = gatherPlans(app, 'select 1');
    });
    for (const { name, ask } of await hotPaths(house, world.owner)) {
      const { status, body } = await ask(replica);
      if (status >= 300) unexpected.push(`${name} answers ${status} ${JSON.stringify(body)}`);
    }
  }, setUpMsMax);
  afterAll(async () => {
    await replica?.close();
    await house?.close();
  });

  const texts = (isFault: (plan: CitusNode) => boolean) =>
    distinct(ran.filter(({ plan }) => isFault(plan as CitusNode)).map(({ text }) => oneLine(text))).filter(
      (text) => !exceptions.some(([beginning]) => text.startsWith(beginning)),
    );

  test('succeeds', () => {
    expect(unexpected).toEqual([]);
    expect(ran.filter(({ plan }) => tasksOf(plan as CitusNode) === 1).length).toBeGreaterThan(100);
  });

  test('asks one node', () => {
    expect(texts((plan) => tasksOf(plan) > 1)).toEqual([]);
  });

  test('sends no rows to the coordinator and back', () => {
    expect(texts(isPulled)).toEqual([]);
  });

  test('commits its events on one node, and a planted event of two is found', async () => {
    expect(await eventsInTwoPhases(house.databaseUrl)).toEqual([]);
    const { workspaceId, userId } = world.owner;
    const id = newId();
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        insert into activity (workspace_id, id, type, actor_type, data, created_at)
        values (${workspaceId}, ${id}, 'ticket.created', 'system', '{}', ${tx.now})`);
      await tx.run(sql`update users set name = name where id = ${userId}`);
    });
    expect(await eventsInTwoPhases(house.databaseUrl)).toEqual([
      expect.stringMatching(/^ticket.created in transaction/),
    ]);
  });
});
