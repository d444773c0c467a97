import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { makeRule } from '../../../test/worlds/rules.ts';
import { traceBy } from '../../ground/lib/traced.ts';

const house = useHouse();

/** Who calls is known for a second, and signals share a message: how often these come depends on the time. */
const isOfTime = /from (?:sessions s|members m)\b|pg_notify/;

/** The statements of a create and of a change, in any order. */
async function statementsOf(owner: Person): Promise<string[]> {
  const sent: string[] = [];
  const end = traceBy({
    run: (work, run) => {
      if (work.kind === 'sql') sent.push(work.text);
      return run({});
    },
    headers: () => ({}),
    traceId: () => undefined,
  });
  try {
    const requester = { email: 'dana@customer.test' };
    const { body } = await owner.call('POST', '/tickets', { subject: 's', body: 'b', requester });
    const changed = await owner.call('PATCH', `/tickets/${body.id}`, { priority: 'high', status: 'pending' });
    expect(changed.status).toBe(200);
  } finally {
    end();
  }
  return sent.filter((text) => !isOfTime.test(text)).toSorted();
}

test('rules add no statement to a create or a change, whether or not one is active', async () => {
  const owner = await makeOwner(house);
  await statementsOf(owner);
  const without = await statementsOf(owner);
  expect(without.length).toBeGreaterThan(5);
  expect(without.filter((text) => /\brule|auto_repl/.test(text))).toEqual([]);
  const trigger = { event: 'ticket.priority_changed' };
  const { id } = await makeRule(owner, { trigger, actions: { addTags: ['a'] }, isActive: false });
  expect(await statementsOf(owner)).toEqual(without);
  expect((await owner.call('POST', `/rules/${id}/activate`, {})).status).toBe(200);
  expect(await statementsOf(owner)).toEqual(without);
});
