import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { keptFiles, upload } from '../../../test/harness/uploads.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { reserveStorage, sweepReservations, type Wanted } from './reserve-storage.ts';
import { recountStorage, takeStorage } from './storage-quota.ts';

const bytesMax = 1_000_000;
const house = useHouse({ STORAGE_BYTES_PER_WORKSPACE: String(bytesMax) });
let owner: Person;
let ticketId: TicketId;

beforeEach(async () => {
  owner = await makeOwner(house);
  ticketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
});

let count = 0;
/** Other bytes each time, so that none are stored already. */
const content = (bytes: number) => String(++count).padEnd(bytes, 'x');
const put = (bytes: number, headers = {}) => upload(house, owner, ticketId, { content: content(bytes), headers });
const kept = async () => (await keptFiles(house)).filter((path) => path.includes(owner.workspaceId));
const usedBytes = async () =>
  Number(
    (
      await house.app.db.pool.query('select used_bytes from workspace_storage where workspace_id = $1', [
        owner.workspaceId,
      ])
    ).rows[0]?.used_bytes,
  );
const reserve = (wanted: Partial<Wanted> = {}) =>
  reserveStorage(house.app.db, owner.workspaceId, { kind: 'upload', bytes: 400_000, bytesMin: 0, ...wanted });
const full = { key: 'workspace.storage_full', params: { max: bytesMax } };

test('a refused upload leaves no byte, not even in the spool', async () => {
  expect((await put(700_000)).status).toBe(201);
  const before = await keptFiles(house);
  for (let attempt = 0; attempt < 3; attempt++) expect(await put(400_000)).toMatchObject({ status: 413, body: full });
  expect(await keptFiles(house)).toEqual(before);
  expect(await usedBytes()).toBe(700_001);
});

test('concurrent uploads together stay within the limit, in rows and on disk', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => put(300_000)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(5).fill(413)]);
  expect(await kept()).toHaveLength(3);
  expect(await usedBytes()).toBe(900_001);
});

test('a file that its request could not take stays counted until the sweep has removed it', async () => {
  const key = { 'idempotency-key': 'one' };
  expect((await put(300_000, key)).status).toBe(201);
  expect((await put(300_000, key)).status).toBe(409);
  expect(await usedBytes()).toBe(600_001);
  expect(await put(600_000, key)).toMatchObject({ status: 413, body: full });
  await house.app.db.pool.query(`update storage_reservations set ends_at = now() - interval '1 second'`);
  await house.app.db.tx((tx) => sweepReservations(tx, 100));
  expect(await usedBytes()).toBe(300_001);
});

test('a transaction that takes storage twice counts each byte once, whether or not there is a count', async () => {
  const write = (more: string) =>
    house.app.db.tx(async (tx) => {
      const { workspaceId } = owner;
      await tx.run(sql`update messages set body = body || ${more} where workspace_id = ${workspaceId}`);
      for (const bytes of [1, more.length - 1]) takeStorage(tx, workspaceId, bytes);
    });
  await house.app.db.tx((tx) => recountStorage(tx, owner.workspaceId));
  await write('cd');
  expect(await usedBytes()).toBe(3);
  await write('ef');
  expect(await usedBytes()).toBe(5);
  await house.app.db.tx((tx) => recountStorage(tx, owner.workspaceId));
  await expect(write('x'.repeat(bytesMax))).rejects.toMatchObject(full);
});

test('the repeat of an upload counts nothing', async () => {
  const same = { content: content(300_000), headers: { 'idempotency-key': 'again' } };
  for (const _ of [1, 2]) expect((await upload(house, owner, ticketId, same)).status).toBe(201);
  // The room goes back just after the answer.
  await expect.poll(usedBytes).toBe(300_001);
});

test('room is given back, taken in part, and freed after a crash', async () => {
  const first = await reserve();
  const second = await reserve({ bytes: 900_000 });
  expect([first.bytesMax, second.bytesMax]).toEqual([400_000, 599_999]);
  expect(second.beyond()).toMatchObject(full);
  await expect(reserve()).rejects.toMatchObject(full);
  await first[Symbol.asyncDispose]();
  await expect(reserve({ bytesMin: 400_001 })).rejects.toMatchObject(full);
  // As if the process of the second had died a minute ago.
  await house.app.db.pool.query(`update storage_reservations set ends_at = now() - interval '1 second'`);
  const third = await reserve({ bytes: 900_000 });
  expect(third.bytesMax).toBe(900_000);
  await third[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  expect(await usedBytes()).toBe(1);
});

test('two imports of a workspace are received at once, also without a limit', async () => {
  const settings = { ...house.app.config, storageBytesMax: 0 };
  const db = openDb({ url: house.databaseUrl, settings, clock: house.app.clock, poolSize: 2, onIdleError: () => {} });
  const receive = () => reserveStorage(db, owner.workspaceId, { kind: 'import', bytes: 10, bytesMin: 0 });
  const rooms = await Promise.all([receive(), receive()]);
  await expect(receive()).rejects.toMatchObject({ key: 'import.running' });
  await rooms[0]?.[Symbol.asyncDispose]();
  await (await receive())[Symbol.asyncDispose]();
  await rooms[1]?.[Symbol.asyncDispose]();
  await db.close();
});
