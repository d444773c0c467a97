import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../src/platform/sql.ts';
import { call, makeMember, makeOwner, type Person } from './factories.ts';
import { buildReplica, useHouse } from './harness.ts';

const house = useHouse();
let replica: Awaited<ReturnType<typeof buildReplica>>;
beforeAll(async () => {
  // One connection: whoever cuts it has cut all.
  replica = await buildReplica(house, 1);
});
afterAll(() => replica.close());

/** The other process' answer to someone who shows this at its door. */
async function askReplica(bearer: string, { workspaceId }: Person): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${bearer}`, 'x-workspace-id': workspaceId };
  const { status, body } = await call(replica, 'GET', `/v1/workspaces/${workspaceId}/tickets`, undefined, headers);
  return [status, body.key ?? 'let in'];
}

/** The other process has lost whatever it heard the database by, and has not asked since. */
async function cutConnection(): Promise<void> {
  const { pid } = await replica.app.db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const removed = new Promise((resolve) => replica.app.db.pool.once('remove', resolve));
  await house.app.db.one(sql`select pg_terminate_backend(${pid})`);
  await removed;
}

test.each([
  ['while all is well', async () => {}],
  ['also when its connection was cut', cutConnection],
])('what ends here has ended in another process with the answer, %s', async (_when, cut) => {
  const owner = await makeOwner(house);
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const other = await makeMember(house, owner.workspaceId, 'admin');
  const secretOf = async (by: Person) =>
    (await by.call('POST', '/api-keys', { name: 'k', role: 'agent' })).body as { id: string; secret: string };
  const [adminsKey, ownersKey] = [await secretOf(admin), await secretOf(owner)];
  for (const bearer of [admin.token, other.token, adminsKey.secret, ownersKey.secret])
    expect(await askReplica(bearer, owner)).toEqual([200, 'let in']);

  await cut();
  await owner.call('DELETE', `/members/${admin.userId}`);
  expect(await askReplica(admin.token, owner)).toEqual([403, 'workspace.forbidden']);
  expect(await askReplica(adminsKey.secret, owner)).toEqual([401, 'auth.token_invalid']);

  await cut();
  await owner.call('DELETE', `/api-keys/${ownersKey.id}`);
  expect(await askReplica(ownersKey.secret, owner)).toEqual([401, 'auth.token_invalid']);

  await cut();
  await house.app.db.tx((tx) => tx.run(sql`update sessions set ended_at = ${tx.now} where id = ${other.sessionId}`));
  expect(await askReplica(other.token, owner)).toEqual([401, 'auth.token_invalid']);
  expect(await askReplica(owner.token, owner)).toEqual([200, 'let in']);
});
