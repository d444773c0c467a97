import { type PushBrowser, type PushService, startPushService } from '@kontor/emulators/push.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHouse, buildReplica, useHouse } from '../../../../test/harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../../test/worlds/mails.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { openSeal, type Seal } from '../../../ground/platform/seal.ts';
import { listDuePushes } from './push-due.ts';
import { readPushKeys } from './push-keys.ts';

const house = useHouse({ WEB_PUSH_ALLOWED_NETWORKS: '127.0.0.0/8', WEB_PUSH_CONTACT: 'mailto:ops@desk.example' });
const path = '/v1/me/push-subscription';
let service: PushService;
let owner: Person;

beforeAll(async () => {
  service = await startPushService();
  owner = await makeOwner(house);
});
afterAll(() => service.close());

const member = () => makeMember(house, owner.workspaceId, 'agent');

async function subscribed(person: Person): Promise<PushBrowser> {
  const { publicKey } = (await person.call('GET', path)).body;
  const browser = service.subscribe(publicKey);
  expect((await person.call('PUT', path, browser.subscription)).status).toBe(204);
  return browser;
}

async function subscriber(): Promise<{ person: Person; browser: PushBrowser }> {
  const person = await member();
  return { person, browser: await subscribed(person) };
}

const assign = async ({ userId }: Person, subject = 'Printer'): Promise<any> =>
  (await owner.call('POST', '/tickets', { subject, body: 'The password is hunter2.', assigneeId: userId })).body;

/** Lets seconds pass, in which all that is due is sent. */
async function pass(seconds: number): Promise<void> {
  house.clock.advance(seconds * 1_000);
  await house.drain();
}

const waiting = async () => {
  const { count } = await house.app.db.one<{ count: number }>(sql`select count(*) as count from pushes`);
  return count;
};
const sessionsOf = ({ userId }: Person) =>
  house.app.db.rows<{ id: string }>(sql`
    select session_id as id from push_subscriptions where user_id = ${userId} order by created_at`);

test('a browser gets the words of a notification, encrypted for it alone', async () => {
  const { person, browser } = await subscriber();
  const { ticketNumber, id } = await assign(person);
  await house.drain();
  expect(browser.pushed).toEqual([]);
  await pass(3);
  const [notification] = (await person.call('GET', '/notifications')).body.items;
  const [pushed, ...others] = browser.pushed;
  expect(others).toEqual([]);
  expect(pushed?.message).toEqual({
    notificationId: notification.id,
    workspaceId: owner.workspaceId,
    title: `You were assigned #${ticketNumber} Printer`,
    tag: id,
    address: `/t/${ticketNumber}`,
  });
  expect(pushed?.vapid).toMatchObject({ sub: 'mailto:ops@desk.example', aud: service.url });
  expect(pushed?.headers).toMatchObject({ ttl: '43200', topic: notification.id.replaceAll('-', '') });
  expect(await waiting()).toBe(0);
});

test('nobody is told of what they have read by then, or do not want', async () => {
  const { person, browser } = await subscriber();
  await assign(person);
  await person.call('POST', '/notifications/read-all');
  await person.call('PATCH', '/v1/me/notification-preferences', { types: { assignment: { inApp: false } } });
  await assign(person);
  await pass(3);
  expect([browser.pushed, await waiting()]).toEqual([[], 0]);
});

test('a change of many tickets is one message', async () => {
  const { person, browser } = await subscriber();
  const tickets = await Promise.all([1, 2, 3].map(() => assign(owner)));
  const ids = tickets.map(({ id }) => id);
  expect((await owner.call('POST', '/tickets/bulk', { ids, assigneeId: person.userId })).status).toBe(200);
  await pass(3);
  const [notification] = (await person.call('GET', '/notifications')).body.items;
  expect(browser.pushed.map(({ message: { title, tag } }) => [title, tag])).toEqual([
    ['You were assigned 3 tickets', notification.id],
  ]);
});

test('new tickets are one message as long as it is unread, which leads to their list', async () => {
  const { person, browser } = await subscriber();
  await person.call('PATCH', '/v1/me/notification-preferences', { types: { new_ticket: { inApp: true } } });
  await ingest(house, owner, [mailOf({ headers: { Subject: 'One' } }), mailOf({ headers: { Subject: 'Two' } })]);
  await pass(3);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Three' } })]);
  await pass(3);
  expect(browser.pushed.map(({ message: { title, address } }) => [title, address])).toEqual([
    ['2 new tickets', '/?status=open'],
  ]);
});

test.each([404, 410])('a subscription that ended with %s is forgotten, and costs nothing more', async (status) => {
  const { person, browser } = await subscriber();
  browser.answer = status;
  await assign(person);
  await pass(3);
  expect(await sessionsOf(person)).toEqual([]);
  await assign(person);
  await pass(3);
  await assign(person);
  expect([browser.pushed, await waiting()]).toEqual([[], 0]);
});

test('a push service that is busy is asked again, at most four times, and the other browsers are not', async () => {
  const { person, browser } = await subscriber();
  const sessionId = newId();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into sessions (id, user_id, created_at, last_used_at)
      values (${sessionId}, ${person.userId}, ${tx.now}, ${tx.now})`),
  );
  const token = house.app.tokens.sign({ userId: person.userId, sessionId });
  const other = service.subscribe((await person.call('GET', path)).body.publicKey);
  await call(house, 'PUT', path, other.subscription, { authorization: `Bearer ${token}` });
  browser.answer = 503;
  await assign(person);
  await pass(3);
  await pass(20);
  browser.answer = 201;
  await pass(10);
  expect([browser.pushed.length, other.pushed.length, await waiting()]).toEqual([1, 1, 0]);
  browser.answer = 429;
  await assign(person);
  for (const seconds of [3, 30, 120, 600]) {
    expect(await waiting()).toBe(1);
    await pass(seconds);
  }
  expect([browser.pushed.length, other.pushed.length, await waiting()]).toEqual([1, 2, 0]);
  expect(await sessionsOf(person)).toHaveLength(2);
});

test('a message that was refused is given up', async () => {
  const { person, browser } = await subscriber();
  browser.answer = 413;
  await assign(person);
  await pass(3);
  expect([await waiting(), (await sessionsOf(person)).length]).toEqual([0, 1]);
});

test('what stayed for an hour is no news', async () => {
  const { person, browser } = await subscriber();
  await assign(person);
  await house.app.db.tx((tx) => tx.run(sql`update pushes set created_at = created_at - interval '61 minutes'`));
  await pass(3);
  expect([browser.pushed, await waiting()]).toEqual([[], 0]);
});

test('a sign-out ends the subscription of that browser alone', async () => {
  const { person, browser } = await subscriber();
  expect((await person.call('GET', path)).body.endpoint).toBe(browser.subscription.endpoint);
  await person.call('DELETE', `/v1/me/sessions/${person.sessionId}`);
  expect(await sessionsOf(person)).toEqual([]);
  await assign(person);
  await pass(3);
  expect([browser.pushed, await waiting()]).toEqual([[], 0]);
});

test('so do the end of all other sessions, and turning it off', async () => {
  const { person, browser } = await subscriber();
  await person.call('DELETE', '/v1/me/sessions');
  expect(await sessionsOf(person)).toHaveLength(1);
  expect((await person.call('DELETE', path)).status).toBe(204);
  expect(await sessionsOf(person)).toEqual([]);
  await assign(person);
  await pass(3);
  expect(browser.pushed).toEqual([]);
});

test('who has left the workspace gets nothing of it', async () => {
  const { person, browser } = await subscriber();
  await assign(person);
  await owner.call('DELETE', `/members/${person.userId}`);
  await pass(3);
  expect([browser.pushed, await waiting()]).toEqual([[], 0]);
});

test('a workspace that requires a second factor tells only sessions that gave one', async () => {
  const { person, browser } = await subscriber();
  const demand = (isDemanded: boolean) =>
    house.app.db.tx((tx) =>
      tx.run(sql`update workspaces set require_second_factor = ${isDemanded} where id = ${owner.workspaceId}`),
    );
  await assign(person);
  await demand(true);
  await pass(3);
  await demand(false);
  expect([browser.pushed, await waiting(), (await sessionsOf(person)).length]).toEqual([[], 0, 1]);
  await assign(person);
  await demand(true);
  await house.app.db.tx((tx) =>
    tx.run(sql`update sessions set second_factor_at = ${tx.now} where id = ${person.sessionId}`),
  );
  await pass(3);
  await demand(false);
  expect(browser.pushed).toHaveLength(1);
});

test('people take turns, so that the many of one person do not delay the others', async () => {
  const [many, few] = [await subscriber(), await subscriber()];
  for (let made = 0; made < 3; made += 1) await assign(many.person);
  await assign(few.person);
  house.clock.advance(3_000);
  const due = await listDuePushes(house.app.db, {
    ...{ now: house.clock.now(), within: () => emptySql, except: () => emptySql },
    rowsMax: 2,
  });
  const people = await house.app.db.rows<{ userId: string }>(sql`
    select user_id as "userId" from pushes where id = any(${due.map(({ id }) => id)}::uuid[]) order by due_at`);
  expect(people.map(({ userId }) => userId)).toEqual([many.person.userId, few.person.userId]);
  // While one of a person is being sent, their next one waits.
  const others = await listDuePushes(house.app.db, {
    ...{ now: house.clock.now(), within: () => emptySql },
    except: (id) => sql`and ${id} <> all(${[due[0]?.id]}::uuid[])`,
    rowsMax: 2,
  });
  expect(others).toEqual([due[1]]);
  await house.drain();
  expect([many.browser.pushed.length, few.browser.pushed.length]).toEqual([3, 1]);
});

test('an address is kept as it is asked for', async () => {
  const person = await member();
  const { subscription } = service.subscribe((await person.call('GET', path)).body.publicKey);
  const endpoint = ` https://push.example/ä\r\n?b c `;
  expect((await person.call('PUT', path, { ...subscription, endpoint })).status).toBe(204);
  expect((await person.call('GET', path)).body.endpoint).toBe('https://push.example/%C3%A4?b%20c');
});

test('a browser belongs to who subscribed last, and a person has twenty', async () => {
  const first = await subscriber();
  const second = await member();
  expect((await second.call('PUT', path, first.browser.subscription)).status).toBe(204);
  expect([await sessionsOf(first.person), (await sessionsOf(second)).length]).toEqual([[], 1]);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      with opened as (
        insert into sessions (id, user_id, created_at, last_used_at)
        select gen_random_uuid(), ${second.userId}, ${tx.now}, ${tx.now} from generate_series(1, 25)
        returning id
      )
      insert into push_subscriptions (session_id, user_id, endpoint, p256dh, auth, created_at)
      select id, ${second.userId}, 'https://push.example/' || id, '', '', ${tx.now}::timestamptz - interval '1 day'
      from opened`),
  );
  expect((await second.call('PUT', path, first.browser.subscription)).status).toBe(204);
  const kept = await sessionsOf(second);
  expect([kept.length, kept.at(-1)?.id]).toEqual([20, second.sessionId]);
});

test.each([
  ['no https', { endpoint: 'ftp://push.example/a' }],
  ['a user', { endpoint: 'https://ann:secret@push.example/a' }],
  ['no address', { endpoint: 'push' }],
  ['an address that is long as it is asked for', { endpoint: `https://push.example/${'ä'.repeat(1_900)}` }],
  ['a key that is no point', { keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } }],
  ['a short secret', { keys: { auth: 'A' } }],
])('a subscription with %s is refused', async (_what, change: { endpoint?: string; keys?: object }) => {
  const person = await member();
  const { subscription } = service.subscribe((await person.call('GET', path)).body.publicKey);
  const keys = { ...subscription.keys, ...change.keys };
  expect((await person.call('PUT', path, { ...subscription, ...change, keys })).status).toBe(400);
});

test('an address inside the networks of the service is never asked', async () => {
  const resolveName = async () => ['127.0.0.1'];
  const closed = await buildHouse({}, undefined, { resolveName });
  try {
    const { send } = closed.app.push;
    const { subscription } = service.subscribe('');
    const { endpoint, keys } = subscription;
    const targets = [endpoint, endpoint.replace('http', 'https'), 'https://push.example/', 'https://169.254.169.254/'];
    const outcomes = targets.map((address) => send({ endpoint: address, ...keys }, { title: 'x' }, 'x'));
    expect(await Promise.all(outcomes)).toEqual(['gone', 'gone', 'gone', 'gone']);
  } finally {
    await closed.close();
  }
});

test('an operator may switch it off', async () => {
  const off = await buildHouse({ WEB_PUSH: 'off' });
  try {
    const person = await makeOwner(off);
    expect((await person.call('GET', path)).body).toEqual({ publicKey: null, endpoint: null });
    const refused = await person.call('PUT', path, service.subscribe('').subscription);
    expect([refused.status, refused.body.key]).toEqual([409, 'push.off']);
  } finally {
    await off.close();
  }
});

test('all processes share one key, which is sealed and stays when the seal changes', async () => {
  const { db, config, seal, log, push } = house.app;
  const publicKey = await push.publicKey();
  const replica = await buildReplica(house);
  expect(await replica.app.push.publicKey()).toBe(publicKey);
  await replica.close();
  const { kept } = await db.one<{ kept: string }>(sql`select push_key as kept from installation`);
  const read = (by: Seal) => readPushKeys(db, by, log);
  const privateKey = (await read(seal))?.privateKey ?? '';
  expect(Buffer.from(kept.split('.')[2] ?? '', 'base64url').includes(Buffer.from(privateKey, 'base64url'))).toBe(false);
  const newKey = Buffer.from('a key that came later than the other one');
  expect((await read(openSeal([newKey, ...config.encryptionKeys])))?.publicKey).toBe(publicKey);
  expect((await read(openSeal([newKey])))?.publicKey).toBe(publicKey);
  // The former key alone ends nobody's subscription.
  expect(await Promise.all([read(seal), read(seal)])).toEqual([undefined, undefined]);
  expect((await read(openSeal([newKey])))?.publicKey).toBe(publicKey);
});
