import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { sendMail } from '../../../test/peers/smtp-client.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import type { SmtpListener } from '../../mail/smtp-listener.ts';
import { openMailIn } from './mail-in.ts';
import { storeRawMails } from './raw-mails.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
const house = useHouse({
  ...gmail.settings,
  STORAGE_BYTES_PER_WORKSPACE: '100000',
  SMTP_LISTEN: '127.0.0.1:2525',
  MAIL_FROM: 'support@kontor.example',
});
let listener: SmtpListener;
let owner: Person;

beforeAll(async () => {
  listener = await openMailIn(house.app, { host: '127.0.0.1', port: 0, tls: undefined });
});
afterAll(async () => {
  await listener?.close();
  await gmail.close();
});
beforeEach(async () => {
  owner = await makeOwner(house);
});

const full = { status: 413, body: { key: 'workspace.storage_full', params: { max: 100_000 } } };
const text = (bytes: number) => 'x'.repeat(bytes);
const create = (body: string, person = owner) => person.call('POST', '/tickets', { subject: 's', body });
const note = (ticketId: TicketId, body: string) =>
  owner.call('POST', `/tickets/${ticketId}/messages`, { body, isInternal: true });
const put = (ticketId: TicketId, bytes: number) => upload(house, owner, ticketId, { content: text(bytes) });
const usedBytes = async (): Promise<number> =>
  Number(
    (
      await house.app.db.pool.query('select used_bytes from workspace_storage where workspace_id = $1', [
        owner.workspaceId,
      ])
    ).rows[0]?.used_bytes,
  );

/** The result of a recount, which it saves. */
async function measuredBytes(): Promise<number> {
  await house.app.db.pool.query('update workspace_storage set version = 1, used_bytes = 0');
  await create('b');
  return (await usedBytes()) - 1;
}

async function fill(): Promise<string> {
  const { body: ticket } = await create(text(50_000));
  expect((await note(ticket.id, text(50_000))).status).toBe(201);
  return ticket.id;
}

test('a full workspace refuses tickets, notes and uploads and stores nothing; other workspaces go on', async () => {
  const { body: ticket } = await create(text(50_000));
  expect((await put(ticket.id, 40_000)).status).toBe(201);
  expect(await put(ticket.id, 10_001)).toMatchObject(full);
  expect(await note(ticket.id, text(10_001))).toMatchObject(full);
  expect(await create(text(10_001))).toMatchObject(full);
  expect((await note(ticket.id, text(10_000))).status).toBe(201);
  expect(await put(ticket.id, 1)).toMatchObject(full);
  expect(await ticketsOf(owner)).toHaveLength(1);
  expect((await owner.call('GET', `/tickets/${ticket.id}`)).body.messageCount).toBe(2);
  expect((await owner.call('PATCH', `/tickets/${ticket.id}`, { subject: 'Renamed' })).status).toBe(200);
  expect((await create('small', await makeOwner(house))).status).toBe(201);
});

test('concurrent writes do not exceed the quota', async () => {
  await create('b');
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(text(30_000))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 413, 413, 413, 413, 413]);
  expect(await usedBytes()).toBe(90_001);
});

test('a missing count is computed from the stored data', async () => {
  const { body: ticket } = await create(text(20_000));
  await put(ticket.id, 30_000);
  const { address } = (await owner.call('GET', '/mail/inbound-address')).body;
  const raw = mailOf({ body: text(5_000) });
  await sendMail(listener.port, { to: [address], raw });
  await house.drain();
  const bodyHtml = `<p onclick="${text(100)}">x</p><script>${text(100)}</script>`;
  await owner.call('POST', '/tickets', { subject: 's', body: 'b', bodyHtml });
  await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'b', bodyHtml, isInternal: true });
  const counted = await usedBytes();
  await house.app.db.pool.query('delete from workspace_storage');
  await note(ticket.id, text(7));
  expect(await usedBytes()).toBe(counted + 7);
  expect(counted).toBe(50_000 + raw.length + 2 * 'b<p>x</p>'.length);
});

test('a draft is counted when it begins, grows, shrinks, is discarded and is sent', async () => {
  const { body: ticket } = await create('b');
  const answer = `/tickets/${ticket.id}/drafts/answer`;
  const text = { body: 'é', bodyHtml: '<p>x<script>1</script></p>', to: ['ann@a.example'], cc: ['b@'], bcc: ['c@d'] };
  let used = 1;
  const has = async (bytes: number) => {
    used += bytes;
    expect(await usedBytes()).toBe(used);
  };
  await owner.call('PUT', answer, { ...text, version: 0 });
  await has(2 + '<p>x</p>ann@a.exampleb@c@d'.length);
  await owner.call('PUT', answer, { body: text.body, version: 1 });
  await has(-'<p>x</p>ann@a.exampleb@c@d'.length);
  await owner.call('PUT', answer, { body: text.body, version: 1 });
  await has(0);
  expect((await owner.call('DELETE', answer)).status).toBe(204);
  await has(-2);
  const { body: draft } = await owner.call('POST', '/drafts', { subject: '1234', body: text.body });
  await has(6);
  await owner.call('PUT', `/drafts/${draft.id}`, { subject: '12', body: 'abc', version: 1 });
  await has(-1);
  await owner.call('POST', '/tickets', { subject: '12', body: 'abcd', draftId: draft.id });
  await has(-1);
  const { body: note } = await owner.call('PUT', `/tickets/${ticket.id}/drafts/note`, { body: 'note', version: 0 });
  await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'notes', isInternal: true, draftId: note.id });
  await has(5);
  const { body: other } = await owner.call('POST', '/drafts', { body: text.body });
  await has(2);
  expect((await owner.call('DELETE', `/drafts/${other.id}`)).status).toBe(204);
  await has(-2);
});

test('drafts of a removed member no longer count', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  await create('b');
  for (const body of [text(1_000), text(500)]) await agent.call('POST', '/drafts', { body });
  expect(await usedBytes()).toBe(1_501);
  expect((await owner.call('DELETE', `/members/${agent.userId}`)).status).toBe(204);
  expect(await usedBytes()).toBe(1);
});

test('a full workspace keeps a draft, accepts a shorter version, and sends it', async () => {
  const ticketId = await fill();
  const answer = `/tickets/${ticketId}/drafts/answer`;
  expect(await owner.call('PUT', answer, { body: 'x', version: 0 })).toMatchObject(full);
  expect(await owner.call('POST', '/drafts', { body: 'x' })).toMatchObject(full);
  await house.app.db.pool.query('update workspace_storage set used_bytes = used_bytes - 10');
  const { body: draft } = await owner.call('PUT', answer, { body: text(10), version: 0 });
  expect(await owner.call('PUT', answer, { body: text(11), version: 1 })).toMatchObject(full);
  expect((await owner.call('GET', '/drafts')).body.items).toMatchObject([{ body: text(10), version: 1 }]);
  // As mail does that is accepted beyond the limit.
  await house.app.db.pool.query('update workspace_storage set used_bytes = used_bytes + 5000');
  expect(await owner.call('PUT', answer, { body: text(9), version: 1 })).toMatchObject({ status: 200 });
  const send = (body: string) => owner.call('POST', `/tickets/${ticketId}/messages`, { body, draftId: draft.id });
  expect(await send(text(10))).toMatchObject(full);
  expect((await owner.call('GET', '/drafts')).body.items).toMatchObject([{ body: text(9) }]);
  expect((await send(text(9))).status).toBe(201);
  expect(await usedBytes()).toBe(104_999);
});

test('concurrent drafts do not exceed the quota, and concurrent changes of them are all counted', async () => {
  const { body: ticket } = await create('b');
  const begin = (bytes: number) => owner.call('POST', '/drafts', { body: text(bytes) });
  const answers = await Promise.all(Array.from({ length: 6 }, () => begin(30_000)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 413, 413, 413]);
  const kept = answers.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
  const answer = (bytes: number) =>
    owner.call('PUT', `/tickets/${ticket.id}/drafts/answer`, { body: text(bytes), version: 0 });
  await Promise.all([
    ...[1, 2, 3].map((bytes) => owner.call('PUT', `/drafts/${kept[0]}`, { body: text(bytes), version: 1 })),
    owner.call('DELETE', `/drafts/${kept[1]}`),
    owner.call('PUT', `/drafts/${kept[1]}`, { body: 'x', version: 1 }),
    ...[1, 2].map(() => owner.call('POST', '/tickets', { subject: 's', body: 'x', draftId: kept[2] })),
    ...[4, 5, 6].map(answer),
  ]);
  const counted = await usedBytes();
  expect(await measuredBytes()).toBe(counted);
});

test('a count by another rule, without drafts, is computed again', async () => {
  await create('b');
  await owner.call('POST', '/drafts', { body: text(60_000) });
  await house.app.db.pool.query('update workspace_storage set version = 1, used_bytes = 1');
  expect(await create(text(50_000))).toMatchObject(full);
  expect((await create(text(30_000))).status).toBe(201);
  expect(await usedBytes()).toBe(90_001);
});

test('a mail that comes several times at once counts once', async () => {
  await create('b');
  const raw = mailOf({ body: text(5_000) });
  await Promise.all(Array.from({ length: 8 }, () => ingest(house, owner, [raw])));
  expect(await usedBytes()).toBe(raw.length + 1);
});

test('a mail that is being stored when the count begins is counted', async () => {
  const raw = mailOf({ body: text(5_000) });
  const [begun, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const storing = storeRawMails(house.app, sourceOf(house, owner), [raw], async () => {
    begun.resolve();
    await counted.promise;
  });
  await begun.promise;
  await create('b').finally(counted.resolve);
  await storing;
  expect(await usedBytes()).toBe(raw.length + 1);
});

test('SMTP puts off a mail for a full workspace before its content, and accepts it once there is room', async () => {
  await fill();
  const { address } = (await owner.call('GET', '/mail/inbound-address')).body;
  const mail = { to: [address], raw: mailOf() };
  expect(await sendMail(listener.port, mail)).toMatch(/^452 4\.\d\.\d The mailbox is full/);
  await house.app.db.pool.query('update workspace_storage set used_bytes = 0');
  expect(await sendMail(listener.port, mail)).toMatch(/^250 /);
  await house.drain();
  expect(await ticketsOf(owner)).toHaveLength(2);
});

test('hosted mail of a full workspace waits at the provider, and its mailbox shows the reason', async () => {
  const address = 'full@office.example';
  const { refreshToken } = gmail.addMailbox({ address });
  const { workspaceId } = owner;
  const mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
  const sync = () => syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
  await sync();
  await fill();
  await gmail.deliver(address, { subject: 'Waits' }, { receivedAt: now() });
  await sync();
  const seen = (await owner.call('GET', `/mailboxes/${mailbox.id}`)).body;
  expect(seen).toMatchObject({ status: 'error', statusReason: expect.stringContaining('waits at the provider') });
  expect(await ticketsOf(owner)).toHaveLength(1);
  await house.app.db.pool.query('update workspace_storage set used_bytes = 0');
  await sync();
  await house.drain();
  expect(await ticketsOf(owner)).toMatchObject([{}, { subject: 'Waits' }]);
  expect((await owner.call('GET', `/mailboxes/${mailbox.id}`)).body.status).toBe('active');
});

test('remote images count, are not fetched for a full workspace, and free their space when they expire', async () => {
  const addresses = ['https://a.example/1', 'https://a.example/2'];
  const body = addresses.map((address) => `<img src="${address}">`).join('');
  await ingest(house, owner, [mailOf({ headers: { 'Content-Type': 'text/html' }, body })]);
  const [{ id }] = await ticketsOf(owner);
  const { remoteImages } = (await ticketOf(owner, id)).messages[0];
  const fetched: string[] = [];
  vi.spyOn(house.app.remoteImages, 'fetch').mockImplementation(async (address) => {
    fetched.push(address);
    return { bytes: Buffer.alloc(60_000), contentType: 'image/png' };
  });
  const show = async (at: number) => {
    const { pathname, search } = new URL(remoteImages[at].url);
    return (await fetch(`${house.url}${pathname}${search}`)).status;
  };
  expect((await create('b')).status).toBe(201);
  const before = await usedBytes();
  expect(await show(0)).toBe(200);
  expect(await usedBytes()).toBe(before + 60_000);
  expect(await show(1)).toBe(404);
  expect(await create(text(50_000))).toMatchObject(full);
  await house.app.db.pool.query('update workspace_storage set used_bytes = 100000');
  expect(await show(1)).toBe(404);
  expect(fetched).toEqual(addresses);
  expect(await show(0)).toBe(200);
  await house.app.db.pool.query('delete from workspace_storage');
  expect((await create('c')).status).toBe(201);
  expect(await usedBytes()).toBe(before + 60_001);
  house.clock.advance(8 * 24 * 3_600_000);
  await house.app.db.pool.query(`select graphile_worker.add_job('house.sweep', '{}'::json)`);
  await house.drain();
  expect(await usedBytes()).toBe(before + 1);
});

test('unused uploads free their space when they are swept', async () => {
  const { body: ticket } = await create('b');
  await put(ticket.id, 60_000);
  house.clock.advance(25 * 3_600_000);
  await house.app.db.pool.query(`select graphile_worker.add_job('house.sweep', '{}'::json)`);
  await house.drain();
  expect(await usedBytes()).toBe(1);
  owner = await makeMember(house, owner.workspaceId, 'owner');
  expect((await put(ticket.id, 60_000)).status).toBe(201);
});
