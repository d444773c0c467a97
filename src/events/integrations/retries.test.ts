import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { type Hook, idsOf, makeHook, signatureOf, signaturesOn, typesOf } from '../../../test/worlds/integrator.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { openReceivers } from './receivers.ts';

const hourMs = 3_600_000;
/** A lease that has just expired, in seconds from now. The column rounds to milliseconds, perhaps up to the future. */
const justOver = -1;
const names: Record<string, string> = { 'ours.test': '127.0.0.1' };
const house = useHouse(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { resolveName: async (name) => [names[name] ?? '10.0.0.5'] },
);
const receiver = useReceiver();
afterEach(() => {
  receiver.answer = 200;
  receiver.received.length = 0;
});
const hookOf = (input?: object): Promise<Hook> => makeHook(house, receiver, input);

test('a failed delivery is retried under its id until it arrives', async () => {
  const hook = await hookOf();
  receiver.answer = 500;
  await hook.makeTicket();
  await hook.happen();
  const failed = { attempts: 1, responseStatus: 500, error: 'It answered 500.', settledAt: null };
  expect(await hook.deliveries('?status=pending')).toMatchObject([{ ...failed, nextAttemptAt: expect.any(String) }]);
  await hook.later(0);
  expect(receiver.received).toHaveLength(1);
  await hook.later(6_000);
  expect((await hook.ask('GET')).body.failingSince).toEqual(expect.any(String));
  receiver.answer = 204;
  await hook.later(31_000);
  expect([receiver.received.length, new Set(idsOf(receiver.received)).size]).toEqual([3, 1]);
  expect(await hook.deliveries()).toMatchObject([
    { status: 'delivered', attempts: 3, error: null, nextAttemptAt: null },
  ]);
  expect((await hook.ask('GET')).body).toMatchObject({ status: 'active', failingSince: null });
});

test('a delivery is given up after ten attempts within a day', async () => {
  const hook = await hookOf();
  await hook.ask('POST', '/test');
  receiver.answer = 404;
  const now = () => house.clock.now().getTime();
  const begin = now();
  for (let attempt = 0; attempt < 10; attempt++) {
    const [{ nextAttemptAt }] = await hook.deliveries();
    await hook.later(Math.max(Date.parse(nextAttemptAt) - now(), 0));
  }
  expect((now() - begin) / hourMs).toBeGreaterThan(22);
  expect((now() - begin) / hourMs).toBeLessThan(24);
  expect(await hook.deliveries()).toMatchObject([{ status: 'failed', attempts: 10, settledAt: expect.any(String) }]);
  await hook.later(24 * hourMs);
  expect(receiver.received).toHaveLength(10);
});

test('an unreachable receiver gets one delivery at a time, and all once it is back', async () => {
  const hook = await hookOf();
  receiver.answer = (response) => response.destroy();
  for (let count = 0; count < 6; count++) await hook.makeTicket();
  await hook.happen();
  expect(receiver.received).toHaveLength(4);
  await hook.later(6_000);
  expect(receiver.received).toHaveLength(5);
  receiver.answer = 200;
  await hook.later(60_000);
  expect(await hook.deliveries('?status=delivered')).toHaveLength(6);
});

test('two slow receivers of a workspace get deliveries at once, and fast ones besides', async () => {
  const hook = await hookOf();
  const { workspaceId } = hook.owner;
  const set = (column: Sql, seconds: number, ids: readonly string[]) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update webhooks set ${column} = now() + make_interval(secs => ${seconds})
        where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`),
    );
  const others: string[] = [];
  while (others.length < 2)
    others.push((await hook.owner.call('POST', '/webhooks', { url: receiver.url, events: ['ticket.merged'] })).body.id);
  await set(sql`slow_until`, 60, others);
  await set(sql`lease_until`, 60, others);
  receiver.answer = (response) => void setTimeout(() => response.end(), 1_000);
  await hook.ask('POST', '/test');
  await hook.later(0);
  expect(receiver.received).toHaveLength(1);
  await hook.ask('POST', '/test');
  await hook.later(0);
  expect(receiver.received).toHaveLength(1);
  await set(sql`lease_until`, justOver, others.slice(1));
  receiver.answer = 200;
  await hook.later(1_000);
  expect(receiver.received).toHaveLength(2);
});

test('deliveries in flight when the address changes go to the new one, whatever the old one answers', async () => {
  const hook = await hookOf();
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<ServerResponse>();
  receiver.answer = ask;
  await hook.ask('POST', '/test');
  const sending = hook.later(0);
  const response = await isAsked;
  receiver.answer = 200;
  await hook.ask('PATCH', '', { url: `${receiver.url}/new` });
  response.writeHead(410).end();
  await sending;
  await house.drain();
  expect((await hook.ask('GET')).body.status).toBe('active');
  expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/new']);
  expect(await hook.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
});

test('a redirect is not followed, and a name that leads to a private network later is not reached', async () => {
  const hook = await hookOf({ url: `http://ours.test:${receiver.port}` });
  receiver.answer = (response) => response.writeHead(302, { location: receiver.url }).end();
  await hook.ask('POST', '/test');
  await hook.later(0);
  expect(await hook.deliveries()).toMatchObject([{ error: 'It answered 302: redirects are not followed.' }]);
  names['ours.test'] = '10.0.0.5';
  await hook.later(6_000);
  expect(await hook.deliveries()).toMatchObject([
    { responseStatus: null, error: 'Its address is in a network that the service may not reach.' },
  ]);
  expect(receiver.received).toHaveLength(1);
});

test('deliveries of a killed sender are sent by the next one', async () => {
  const hook = await hookOf();
  const { workspaceId } = hook.owner;
  await hook.ask('POST', '/test');
  const lease = (seconds: number) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update webhooks set lease_until = now() + make_interval(secs => ${seconds})
        where workspace_id = ${workspaceId} and id = ${hook.id}`),
    );
  // The state that a sender leaves when it dies after the request.
  await lease(30);
  await house.drain();
  expect(receiver.received).toEqual([]);
  await lease(justOver);
  await house.drain();
  expect(typesOf(receiver.received)).toEqual(['webhook.test']);
});

test('a delivery that a stopping process aborts counts no attempt, and is due at once for another', async () => {
  const { receivers } = house.app;
  const stopping = openReceivers(house.app.config.webhookAllowedNetworks, async () => []);
  house.app.receivers = stopping;
  const hook = await hookOf();
  receiver.answer = () => stopping.stop();
  await hook.ask('POST', '/test');
  await hook.later(0);
  house.app.receivers = receivers;
  expect(await hook.deliveries()).toMatchObject([{ status: 'pending', attempts: 0, error: null }]);
  receiver.answer = 200;
  await house.drain();
  expect(await hook.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
});

test('a day after a rotation the previous secret no longer signs', async () => {
  const hook = await hookOf();
  const { secret } = (await hook.ask('POST', '/rotate-secret')).body;
  await hook.later(24 * hourMs);
  await hook.ask('POST', '/test');
  await hook.later(0);
  const [received] = receiver.received;
  expect(signaturesOn(received!)).toEqual([signatureOf(secret, received!)]);
});

test('a webhook whose deliveries fail for a day is disabled, and its waiting deliveries fail', async () => {
  const hook = await hookOf();
  receiver.answer = 500;
  await hook.ask('POST', '/test');
  await hook.later(0);
  await hook.later(23 * hourMs);
  expect((await hook.ask('GET')).body.status).toBe('active');
  await hook.later(2 * hourMs);
  expect((await hook.ask('GET')).body).toMatchObject({
    status: 'disabled',
    disabledReason: 'Nothing has arrived for a day, though it was tried.',
  });
  expect(await hook.deliveries()).toMatchObject([
    { status: 'failed', error: 'It answered 500. The webhook was disabled.', nextAttemptAt: null },
  ]);
  const enabled = await hook.ask('PATCH', '', { status: 'active' });
  expect(enabled.body).toMatchObject({ status: 'active', disabledReason: null, failingSince: null });
});
