import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/ground/database/sql.ts';
import { buildReplica, useHouse } from '../harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../worlds/factories.ts';

const house = useHouse();
let replica: Awaited<ReturnType<typeof buildReplica>>;
beforeAll(async () => {
  // A single connection, so that cutting it cuts the process off.
  replica = await buildReplica(house, 1);
});
afterAll(() => replica.close());

/** The other process's answer to this bearer token. */
async function askReplica(bearer: string, { workspaceId }: Person): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${bearer}`, 'x-workspace-id': workspaceId };
  const { status, body } = await call(replica, 'GET', `/v1/workspaces/${workspaceId}/tickets`, undefined, headers);
  return [status, body.key ?? 'let in'];
}

/** Waits until the other process gives this answer. */
async function untilReplica(bearer: string, person: Person, answer: [number, string]): Promise<void> {
  await vi.waitFor(async () => expect(await askReplica(bearer, person)).toEqual(answer), 30_000);
}

/** Cuts the other process off the database. It loses its listener, and has not asked since. */
async function cutConnection(): Promise<void> {
  const { pid } = await replica.app.db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  await house.app.db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'kontor_live'`);
  const removed = new Promise((resolve) => replica.app.db.pool.once('remove', resolve));
  await house.app.db.one(sql`select pg_terminate_backend(${pid}::integer)`);
  await removed;
}

test.each([
  ['while all is well', async () => {}],
  ['also when its connection was cut', cutConnection],
])('what ends here ends in another process, %s', async (_when, cut) => {
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
  await untilReplica(admin.token, owner, [403, 'workspace.forbidden']);
  await untilReplica(adminsKey.secret, owner, [401, 'auth.token_invalid']);

  await cut();
  await owner.call('DELETE', `/api-keys/${ownersKey.id}`);
  await untilReplica(ownersKey.secret, owner, [401, 'auth.token_invalid']);

  await cut();
  await house.app.db.tx((tx) => tx.run(sql`update sessions set ended_at = ${tx.now} where id = ${other.sessionId}`));
  await untilReplica(other.token, owner, [401, 'auth.token_invalid']);
  await untilReplica(owner.token, owner, [200, 'let in']);
});
