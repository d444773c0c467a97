import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const topic = 'projects/kontor/topics/mail';
const gmail = await openGmailEmulator();
const graph = await openGraphEmulator();
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({
  ...gmail.settings,
  MAIL_B_TOPIC: topic,
  ...graph.settings,
});

let owner: Person;
let address: string;
let refreshToken: string;
beforeEach(async () => {
  owner = await makeOwner(house);
  address = `help-${newId().slice(-8)}@shop.example`;
  ({ refreshToken } = gmail.addMailbox({ address }));
});

const connect = (person = owner, body: object = {}, headers: Record<string, string> = {}) =>
  person.call('POST', '/mailboxes', { provider: 'mail-b', address, refreshToken, ...body }, headers);
const auditTypes = async () =>
  (await owner.call('GET', '/audit')).body.items
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => type.startsWith('mailbox.'));
const kept = (mailboxId: string) =>
  house.app.db.one<Record<string, any>>(sql`
    select m.*, s.cursor, s.history_page, s.history_since
    from mailboxes m
    join mailbox_syncs s on s.workspace_id = m.workspace_id and s.mailbox_id = m.id
    where m.workspace_id = ${owner.workspaceId} and m.id = ${mailboxId}`);
const watching = () => gmail.watches(address).filter(({ state }) => state === 'active');

test('a mailbox is connected with a refresh token, and its credentials are never shown', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const { status, body } = await connect(owner, {
    address: address.toUpperCase(),
    name: ' Help ',
    defaultAssigneeId: agent.userId,
    defaultTags: ['Mail', 'mail', 'shop'],
    signature: 'Yours\nShop',
    historyDays: 30,
  });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      provider: 'mail-b',
      address,
      delegateAddress: null,
      aliases: [],
      sendAs: [],
      senders: [address],
      name: 'Help',
      status: 'active',
      statusReason: null,
      statusReasonKey: null,
      statusChangedAt: expect.any(String),
      sendStatus: 'active',
      sendStatusReason: null,
      sendStatusReasonKey: null,
      sendStatusChangedAt: expect.any(String),
      defaultAssigneeId: agent.userId,
      defaultTags: ['Mail', 'shop'],
      teamId: null,
      whenAnswered: null,
      signature: 'Yours\nShop',
      connectedAt: expect.any(String),
      lastSyncedAt: null,
      unreachableSince: null,
      stuckMails: 0,
      history: { since: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), isComplete: false },
      watches: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ]);
  const days = (Date.parse(body.connectedAt) - Date.parse(body.history.since)) / 86_400_000;
  expect(days).toBe(30);
  expect((await agent.call('GET', `/mailboxes/${body.id}`)).body).toEqual(body);
  expect((await agent.call('GET', '/mailboxes')).body).toEqual([body]);
  const row = await kept(body.id);
  expect(row.refresh_token).toMatch(/^v1\./);
  expect(JSON.stringify([body, row])).not.toContain(refreshToken);
  expect(await auditTypes()).toEqual(['mailbox.connected']);
});

test('a refusal of the provider is reported with its reason, and connects nothing', async () => {
  const bad = await connect(owner, { refreshToken: 'stolen-and-dead' });
  expect(bad).toMatchObject({
    status: 400,
    body: { key: 'mailbox.not_authorized', params: { code: 'invalid_grant' } },
  });
  expect(bad.body.params.reason).not.toBe('');
  expect(JSON.stringify(bad.body)).not.toContain('stolen-and-dead');
  const other = await connect(owner, { address: 'other@shop.example' });
  expect(other).toMatchObject({ status: 400, body: { params: { issues: [{ path: 'body.address' }] } } });
  gmail.setFault({ on: 'token', status: 503 });
  const away = await connect();
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  gmail.setFault({ on: 'token', status: 401, reason: 'invalid_client' });
  expect(await connect()).toMatchObject({ status: 400, body: { key: 'mailbox.provider_not_configured' } });
  expect((await owner.call('GET', '/mailboxes')).body).toEqual([]);
});

test('an address is connected only once, in all workspaces', async () => {
  const [stranger, first] = [await makeOwner(house), await connect()];
  for (const person of [owner, stranger])
    expect(await connect(person)).toMatchObject({ status: 409, body: { key: 'mailbox.already_connected' } });
  expect((await owner.call('DELETE', `/mailboxes/${first.body.id}`)).status).toBe(204);
  expect((await connect(stranger)).status).toBe(201);
  expect(await connect()).toMatchObject({ status: 409, body: { key: 'mailbox.already_connected' } });
});

test('of several concurrent connects of an address one succeeds', async () => {
  const people = [owner, owner, await makeOwner(house), await makeOwner(house)];
  const statuses = (await Promise.all(people.map((person) => connect(person)))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 409, 409, 409]);
});

test('a repeat with the same Idempotency-Key gets the first answer', async () => {
  const key = { 'idempotency-key': newId() };
  const [first, again] = [await connect(owner, {}, key), await connect(owner, {}, key)];
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(again.body).toEqual(first.body);
});

test('a workspace has at most 100 mailboxes', async () => {
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into mailboxes (workspace_id, id, provider, address, address_key, status, status_changed_at, connected_at,
        created_at, updated_at)
      select ${owner.workspaceId}::uuid, gen_random_uuid(), 'mail-a', n::text, n::text, 'paused',
        now(), now(), now(), now()
      from generate_series(1, 100) n`),
  );
  expect(await connect()).toMatchObject({ status: 409, body: { key: 'mailbox.too_many', params: { max: 100 } } });
});

test('a paused mailbox, or one whose access ended, can be connected again and continues where it stopped', async () => {
  const { id } = (await connect(owner, { name: 'Help', signature: 'Yours' })).body;
  const { workspaceId } = owner;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs
      set cursor = '42', lease_holder = ${newId()}, lease_until = now() + interval '1 minute'
      where workspace_id = ${workspaceId} and mailbox_id = ${id}`),
  );
  expect((await owner.call('POST', `/mailboxes/${id}/pause`)).body.status).toBe('paused');
  gmail.revoke(address);
  ({ refreshToken } = gmail.addMailbox({ address }));
  const again = await connect(owner, { signature: 'Regards', historyDays: 7 });
  expect(again).toMatchObject({ status: 201, body: { id, status: 'active', name: 'Help', signature: 'Regards' } });
  expect(again.body.history).toMatchObject({ isComplete: false });
  expect(await kept(id)).toMatchObject({ cursor: '42', history_page: '' });
  expect(await auditTypes()).toEqual(['mailbox.connected', 'mailbox.paused', 'mailbox.connected']);
});

test('a disconnected mailbox is hidden and has no credentials; connected again, it is read from then on', async () => {
  const { id } = (await connect(owner, { name: 'Help' })).body;
  await house.drain();
  expect(watching()).toHaveLength(1);
  expect((await owner.call('DELETE', `/mailboxes/${id}`)).status).toBe(204);
  expect((await owner.call('GET', '/mailboxes')).body).toEqual([]);
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/sync'],
  ] as const)
    expect(await owner.call(method, `/mailboxes/${id}${path}`)).toMatchObject({
      status: 404,
      body: { key: 'mailbox.not_found' },
    });
  await house.drain();
  expect(watching()).toEqual([]);
  expect(await kept(id)).toMatchObject({ refresh_token: null, access_token: null });
  const again = await connect();
  expect(again.body).toMatchObject({ id, name: 'Help', status: 'active' });
  expect((await kept(id)).cursor).toBeNull();
});

test('a mailbox that is connected again before its old watch is stopped gets a watch', async () => {
  const { id } = (await connect()).body;
  await house.drain();
  await owner.call('DELETE', `/mailboxes/${id}`);
  const stranger = await makeOwner(house);
  expect((await connect(stranger)).status).toBe(201);
  await house.drain();
  expect(watching()).toHaveLength(1);
  expect((await kept(id)).refresh_token).toBeNull();
});

test('credentials are deleted even when the provider no longer accepts them', async () => {
  const { id } = (await connect()).body;
  await house.drain();
  gmail.revoke(address);
  await owner.call('DELETE', `/mailboxes/${id}`);
  await house.drain();
  expect((await kept(id)).refresh_token).toBeNull();
});

test('a provider out of reach is asked for a day, and then the credentials are deleted', async () => {
  const { id } = (await connect()).body;
  await house.drain();
  gmail.setFault({ on: 'stop', address, status: 503, times: 100 });
  const tryAgain = async () => {
    // The lease is over.
    await house.app.db.tx((tx) => tx.run(sql`update mailboxes set watch_until = null where id = ${id}`));
    await house.drain();
  };
  await owner.call('DELETE', `/mailboxes/${id}`);
  await house.drain();
  const { refresh_token, watch_until } = await kept(id);
  expect(refresh_token).not.toBeNull();
  expect(Date.parse(watch_until)).toBeGreaterThan(Date.now() + 200_000);
  house.clock.advance(24 * 3_600_000 - 60_000);
  await tryAgain();
  expect((await kept(id)).refresh_token).not.toBeNull();
  house.clock.advance(60_000);
  await tryAgain();
  expect((await kept(id)).refresh_token).toBeNull();
  expect(watching()).toHaveLength(1);
  gmail.clearFaults();
});

test('name, assignee, tags and signature can change, with one audit entry per change', async () => {
  const [agent, stranger] = [await makeMember(house, owner.workspaceId, 'agent'), await makeOwner(house)];
  const { id } = (await connect(owner, { name: 'Help' })).body;
  const change = (body: object) => owner.call('PATCH', `/mailboxes/${id}`, body);
  const fields = { name: 'Sales', defaultAssigneeId: agent.userId, defaultTags: ['a', 'A', 'b'], signature: 'Yours' };
  expect((await change(fields)).body).toMatchObject({ ...fields, defaultTags: ['a', 'b'] });
  await change(fields);
  await change({});
  expect((await change({ name: null, signature: ' ', defaultTags: [] })).body).toMatchObject({
    name: null,
    signature: null,
    defaultTags: [],
    defaultAssigneeId: agent.userId,
  });
  expect(await change({ defaultAssigneeId: stranger.userId })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: 'body.defaultAssigneeId' }] } },
  });
  const entries = (await owner.call('GET', '/audit?type=mailbox.changed')).body.items;
  expect(entries.map(({ data }: any) => data.changed)).toEqual([
    ['name', 'defaultTags', 'signature'],
    ['name', 'defaultAssigneeId', 'defaultTags', 'signature'],
  ]);
});

test('a member who leaves is no longer the default assignee', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const { id } = (await connect(owner, { defaultAssigneeId: agent.userId })).body;
  expect((await owner.call('DELETE', `/members/${agent.userId}`)).status).toBe(204);
  expect((await owner.call('GET', `/mailboxes/${id}`)).body.defaultAssigneeId).toBeNull();
});

test('a paused mailbox is not synced, a resumed one is', async () => {
  const { id } = (await connect()).body;
  await house.drain();
  const post = (verb: string) => owner.call('POST', `/mailboxes/${id}/${verb}`);
  expect((await post('sync')).status).toBe(202);
  for (const _ of [1, 2]) expect(await post('pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
  expect(await post('sync')).toMatchObject({ status: 409, body: { key: 'mailbox.not_active' } });
  for (const _ of [1, 2]) expect(await post('resume')).toMatchObject({ status: 200, body: { status: 'active' } });
  expect(await auditTypes()).toEqual(['mailbox.resumed', 'mailbox.paused', 'mailbox.connected']);
});

test('a mailbox of Microsoft 365 is connected in the same way', async () => {
  const { refreshToken: token } = graph.addMailbox({ address });
  const { status, body } = await connect(owner, { provider: 'mail-a', refreshToken: token });
  expect([status, body.provider, body.address]).toEqual([201, 'mail-a', address]);
});
