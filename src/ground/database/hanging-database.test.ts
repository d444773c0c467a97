import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseGate } from '../../../test/harness/database-gate.ts';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { newId } from '../lib/ids.ts';

const house = useHouse();
const gate = databaseGate(() => house.databaseUrl);
let replica: Awaited<ReturnType<typeof buildReplica>>;
let owner: Person;

beforeAll(async () => {
  const url = await gate.open();
  replica = await buildReplica({ ...house, databaseUrl: url }, 3, () => {}, { requestQueryTimeoutMs: 1_000 });
  owner = await makeOwner(house);
});

afterAll(async () => {
  await replica.close();
  await gate.close();
});

function create(headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${replica.url}/v1/workspaces/${owner.workspaceId}/tickets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'x-workspace-id': owner.workspaceId,
      'content-type': 'application/json',
      ...headers,
    },
    body: '{"subject":"Once","body":"b"}',
  });
}

test('a request gets 503 while the database hangs, and its retry with the same key does the work once', async () => {
  // Opens all connections of the pool.
  const warm = await Promise.all([create(), create(), create()]);
  expect(warm.map(({ status }) => status)).toEqual([201, 201, 201]);
  const headers = { 'idempotency-key': newId() };
  gate.hold();
  const refused = await create(headers);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await refused.json()).toMatchObject({ key: 'unavailable' });
  gate.letGo();
  // The first request's lock is released once the database notices that its connection is closed.
  await expect.poll(async () => (await create(headers)).status).toBe(201);
  const { body } = await owner.call('GET', '/tickets');
  expect(body.length).toBe(4);
});
