import { beforeEach, expect, test, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { type Sql, sql } from '../database/sql.ts';
import { newId } from '../lib/ids.ts';
import { type Held, holdLease, LeaseLost, leasedFor, leaseEnded, takeLease, writeHeld } from './lease.ts';

const house = useHouse();
let lease: Held;

beforeEach(async () => {
  const { workspaceId } = await makeOwner(house);
  const mailbox = { workspaceId, provider: 'mail-b', address: 'desk@office.example', refreshToken: 'token' } as const;
  lease = { workspaceId, id: (await putMailbox(house, mailbox)).id, holder: newId() };
});

const take = (held: Held) => house.app.db.tx((tx) => takeLease(tx, 'sync', held));
const set = (assignments: Sql) =>
  house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set ${assignments} where workspace_id = ${lease.workspaceId} and mailbox_id = ${lease.id}`),
  );
const write = (held: Held) => house.app.db.tx((tx) => writeHeld(tx, 'sync', held, sql`cursor = ${held.holder}`));
const another = (): Held => ({ ...lease, holder: newId() });

test('of many processes, one has the lease', async () => {
  const taken = await Promise.all([lease, another(), another()].map(take));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
});

test('the lease of a dead process runs out, and its writes are refused once another has it', async () => {
  await take(lease);
  await write(lease);
  await set(leasedFor('sync', -1));
  // Nobody has taken it, so the process may have been slow only.
  await write(lease);
  const next = another();
  expect(await take(next)).toBeDefined();
  await expect(write(lease)).rejects.toThrow(LeaseLost);
  await write(next);
});

test('a lease that was ended is free at once, and ends only for its holder', async () => {
  await take(lease);
  const next = another();
  await holdLease(house.app.db, 'sync', lease).end(sql`, cursor = 'read'`);
  expect(await take(next)).toBeDefined();
  await holdLease(house.app.db, 'sync', lease).end();
  expect(await take(another())).toBeUndefined();
  await write(next);
});

test('a held lease is renewed, and its signal tells that it was lost', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await take(lease);
    await set(leasedFor('sync', 1));
    const held = holdLease(house.app.db, 'sync', lease);
    const secondsLeft = async () =>
      (
        await house.app.db.one<{ seconds: number }>(sql`
          select extract(epoch from lease_until - now())::float8 as seconds from mailbox_syncs
          where workspace_id = ${lease.workspaceId} and mailbox_id = ${lease.id}`)
      ).seconds;
    vi.advanceTimersByTime(20_000);
    await expect.poll(secondsLeft).toBeGreaterThan(50);
    expect(held.signal.aborted).toBe(false);
    await set(leaseEnded('sync'));
    vi.advanceTimersByTime(20_000);
    await expect.poll(() => held.signal.aborted).toBe(true);
    await held.end();
  } finally {
    vi.useRealTimers();
  }
});
