import { utimes } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { findLockWaits } from '../../../test/harness/lock-waits.ts';
import { keptFiles, type UploadParts, upload } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sha256Of } from '../../ground/blobs/blobs.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId, type TicketId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const house = useHouse();
const hourMs = 3_600_000;
let owner: Person;
let ticketId: TicketId;

beforeEach(async () => {
  owner = await makeOwner(house);
  ticketId = (await owner.call('POST', '/tickets', { subject: 'Files', body: 'b' })).body.id;
});

const send = async (parts: UploadParts) => (await upload(house, owner, ticketId, parts)).body;
const take = (...attachmentIds: string[]) =>
  owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'taken', attachmentIds });
/** Access tokens expire within the day, so each day needs a new sign-in. */
const wait = async (hours: number) => {
  house.clock.advance(hours * hourMs);
  owner = await makeMember(house, owner.workspaceId, 'owner');
};
const pass = async (hours: number) => {
  await wait(hours);
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
};
const isKept = async (content: string) =>
  (await keptFiles(house)).some(
    (path) => path.includes(owner.workspaceId) && path.endsWith(sha256Of(Buffer.from(content))),
  );
const notes = async () => {
  const { count } = await house.app.db.one<{ count: number }>(sql`select count(*) as count from loose_blobs`);
  return count;
};

test('an upload that no message takes within a day is deleted with its bytes, and a used one stays', async () => {
  const [unused, used] = [await send({ content: 'unused' }), await send({ content: 'used' })];
  expect((await take(used.id)).status).toBe(201);
  await pass(23);
  expect((await owner.call('GET', `/attachments/${unused.id}`)).body).toBe('unused');
  await pass(2);
  expect((await owner.call('GET', `/attachments/${unused.id}`)).body.key).toBe('attachment.not_found');
  expect((await owner.call('GET', `/attachments/${used.id}`)).body).toBe('used');
  expect([await isKept('unused'), await isKept('used'), await notes()]).toEqual([false, true, 0]);
  expect((await take(unused.id)).status).toBe(400);
});

test('bytes that another attachment of the workspace shares stay, and other workspaces do not matter', async () => {
  const other = await makeOwner(house);
  const theirs = (await other.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
  const their = (await upload(house, other, theirs, { content: 'shared' })).body;
  await other.call('POST', `/tickets/${theirs}/messages`, { body: 'taken', attachmentIds: [their.id] });
  const [unused, used] = [await send({ content: 'same' }), await send({ content: 'same' })];
  await send({ content: 'shared' });
  await take(used.id);
  await pass(25);
  expect((await owner.call('GET', `/attachments/${unused.id}`)).status).toBe(404);
  expect((await owner.call('GET', `/attachments/${used.id}`)).body).toBe('same');
  expect([await isKept('shared'), await isKept('same')]).toEqual([false, true]);
  const theirOwner = await makeMember(house, other.workspaceId, 'owner');
  expect((await theirOwner.call('GET', `/attachments/${their.id}`)).body).toBe('shared');
});

test('bytes are found if their upload broke off before its row was written', async () => {
  const { app } = house;
  const bytes = Buffer.from('orphan');
  await app.db.tx((tx) =>
    tx.run(sql`
      insert into loose_blobs (workspace_id, sha256, noted_at)
      values (${owner.workspaceId}, ${sha256Of(bytes)}, ${tx.now})`),
  );
  await app.blobs.put(owner.workspaceId, bytes);
  await pass(23);
  expect(await isKept('orphan')).toBe(true);
  await pass(2);
  expect([await isKept('orphan'), await notes()]).toEqual([false, 0]);
});

test('bytes of a mail stay until they are named or old', async () => {
  await send({ content: 'brought again' });
  await wait(25);
  await house.app.blobs.put(owner.workspaceId, Buffer.from('brought again'));
  // The service's clock shows tomorrow.
  const [path = ''] = (await keptFiles(house)).filter((kept) => kept.endsWith(sha256Of(Buffer.from('brought again'))));
  await utimes(path, house.clock.now(), house.clock.now());
  await pass(0);
  expect([await isKept('brought again'), await notes()]).toEqual([true, 1]);
  await pass(25);
  expect([await isKept('brought again'), await notes()]).toEqual([false, 0]);
});

test('an upload of bytes that are being removed waits and puts them again', async () => {
  await send({ content: 'raced' });
  await wait(25);
  const { app } = house;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const remove = app.blobs.remove;
  let isRemoving = () => {};
  const removing = new Promise<void>((resolve) => {
    isRemoving = resolve;
  });
  app.blobs.remove = async (...wanted) => {
    isRemoving();
    await held;
    return remove(...wanted);
  };
  const swept = pass(0);
  await removing;
  const uploading = send({ content: 'raced' });
  // The upload has reached its note.
  await expect
    .poll(async () => (await findLockWaits(house.databaseUrl)).filter((query) => query.includes('loose_blobs')))
    .toHaveLength(1);
  letGo();
  await swept;
  app.blobs.remove = remove;
  const uploaded = await uploading;
  expect((await owner.call('GET', `/attachments/${uploaded.id}`)).body).toBe('raced');
  expect(await isKept('raced')).toBe(true);
});

test('a message and the sweep never both take an upload', async () => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => send({ content: newId() })));
  await wait(25);
  const [, ...taken] = await Promise.all([pass(0), ...uploads.map(({ id }) => take(id))]);
  for (const [at, { status }] of taken.entries()) {
    const download = await owner.call('GET', `/attachments/${uploads[at]?.id}`);
    expect([status, download.status]).toEqual(status === 201 ? [201, 200] : [400, 404]);
  }
});
