import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { openServer } from '../harness/small-server.ts';
import { support, useGraph } from './graph-client.ts';

const graph = useGraph();
const { ask } = graph;
const soon = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });
const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

type Told = { query: string | null; type: string | undefined; items: any[] };

/** A notification endpoint like the service's, and the notifications that it got. */
async function openEndpoint(answer?: (told: Told, response: ServerResponse, request: IncomingMessage) => unknown) {
  const told: Told[] = [];
  const { url, close } = await openServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const query = new URL(request.url ?? '/', 'http://x').searchParams.get('validationToken');
    const text = Buffer.concat(chunks).toString();
    const one = { query, type: request.headers['content-type'], items: text === '' ? [] : JSON.parse(text).value };
    told.push(one);
    if (answer?.(one, response, request) === true) return;
    if (query !== null) response.writeHead(200, { 'content-type': 'text/plain' }).end(query);
    else response.writeHead(202).end();
  });
  closers.push(close);
  const items = () => told.flatMap((one) => one.items);
  return { url: `${url}/hook`, told, items };
}

const inMinutes = (minutes: number) => new Date(graph.now().getTime() + minutes * 60_000).toISOString();
const subscribe = (notificationUrl: string, members: object = {}) =>
  ask('POST', '/subscriptions', {
    changeType: 'created',
    resource: "me/mailFolders('inbox')/messages",
    notificationUrl,
    expirationDateTime: inMinutes(10_000),
    clientState: 'secret',
    ...members,
  });

test('a subscription is created once both addresses have echoed the token', async () => {
  const { url, told } = await openEndpoint();
  const { status, body } = await subscribe(url, { lifecycleNotificationUrl: url });
  expect(status).toBe(201);
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({
    query: expect.stringMatching(/^Validation: Testing /),
    type: 'text/plain; charset=utf-8',
  });
  expect((await subscribe(url)).status).toBe(409);
  expect((await ask('GET', '/subscriptions')).body.value).toEqual([body]);
  const renewed = await ask('PATCH', `/subscriptions/${body.id}`, { expirationDateTime: inMinutes(10) });
  expect(Date.parse(renewed.body.expirationDateTime)).toBeGreaterThan(graph.now().getTime() + 44 * 60_000);
  expect((await ask('PATCH', `/subscriptions/${body.id}`, { lifecycleNotificationUrl: url })).status).toBe(400);
  expect(graph.misuses()).toEqual([]);
  expect((await ask('POST', `/subscriptions/${body.id}/reauthorize`)).status).toBe(204);
  expect(graph.misuses()).toHaveLength(1);
  await graph.advance(46 * 60_000);
  expect((await ask('GET', `/subscriptions/${body.id}`)).status).toBe(404);
  expect(graph.subscriptions()).toMatchObject([{ id: body.id, end: 'expired' }]);
});

test.each([
  ['with a newline after it', 200, 'text/plain', (text: string) => `${text}\n`],
  ['encoded', 200, 'text/plain', encodeURIComponent],
  ['as HTML', 200, 'text/html', (text: string) => text],
  ['with another status', 202, 'text/plain', (text: string) => text],
])('subscriptions are not made when the token comes back %s', async (_how, status, type, echo) => {
  const { url } = await openEndpoint(({ query }, response) => {
    response.writeHead(status, { 'content-type': type }).end(echo(query ?? ''));
    return true;
  });
  const { body } = await subscribe(url);
  expect(body.error).toMatchObject({
    code: 'InvalidRequest',
    message: expect.stringMatching(/^Subscription validation/),
  });
  expect(graph.subscriptions()).toEqual([]);
});

test.each([
  ['ExtensionError', () => ({ expirationDateTime: inMinutes(10_071) })],
  ['InvalidRequest', () => ({ clientState: 'x'.repeat(129) })],
  ['InvalidRequest', () => ({ notificationUrl: 'http://example.com/hook' })],
  ['ErrorInvalidUser', () => ({ resource: 'users/nobody@acme.example/messages' })],
])('subscriptions are refused with %s', async (code, members) => {
  expect((await subscribe('http://127.0.0.1:1/hook', members())).body.error.code).toBe(code);
});

test('subscriptions report changes in their folder, and nothing else', async () => {
  const { url, items } = await openEndpoint();
  const { body } = await subscribe(url, { changeType: 'created,updated,deleted' });
  const { id } = await graph.deliver(support, { subject: 'x' });
  await graph.saveDraft(support, { subject: 'draft' });
  graph.move(support, id, 'archive');
  await soon(() => items()).toHaveLength(3);
  expect(
    items()
      .map(({ changeType }) => changeType)
      .sort(),
  ).toEqual(['created', 'deleted', 'updated']);
  for (const item of items())
    expect(item).toMatchObject({ subscriptionId: body.id, clientState: 'secret', resourceData: { id } });
});

test('subscriptions to a whole mailbox report drafts too, with immutable ids only if requested', async () => {
  const { url, items } = await openEndpoint();
  const wish = {
    changeType: 'created,deleted',
    resource: '/me/messages',
    notificationUrl: url,
    expirationDateTime: inMinutes(60),
  };
  expect((await ask('POST', '/subscriptions', wish, { prefer: '' })).status).toBe(201);
  const { id } = await graph.saveDraft(support, { subject: 'draft' });
  await soon(() => items()).toHaveLength(1);
  const [{ resourceData, ...item }] = items();
  expect(item).not.toHaveProperty('clientState');
  expect(resourceData.id).not.toBe(id);
  expect((await ask('GET', `/me/messages/${resourceData.id}`)).body.id).toBe(id);
});

test('notifications are retried until the endpoint accepts them, and pause until reauthorization', async () => {
  let isDown = true;
  const { url, items } = await openEndpoint(({ query }, response) => {
    if (query !== null || !isDown) return false;
    isDown = false;
    response.writeHead(503).end();
    return true;
  });
  const { body } = await subscribe(url, { lifecycleNotificationUrl: url });
  graph.behave({ followsUp: false });
  await graph.deliver(support, { subject: 'x' });
  await soon(() => graph.pushes().at(-1)?.outcome).toBe('refused');
  await graph.advance(60_000);
  expect(graph.pushes().at(-1)).toMatchObject({ attempt: 2, outcome: 'taken', status: 202 });
  graph.lifecycle('reauthorizationRequired', [body.id]);
  await graph.deliver(support, { subject: 'waits' });
  await soon(() => items().at(-1)?.lifecycleEvent).toBe('reauthorizationRequired');
  await ask('PATCH', `/subscriptions/${body.id}`, { expirationDateTime: inMinutes(5_000) });
  await soon(() => items().at(-1)?.changeType).toBe('created');
  graph.lifecycle('subscriptionRemoved');
  await expect
    .poll(() => items().at(-1))
    .toMatchObject({ lifecycleEvent: 'subscriptionRemoved', clientState: 'secret' });
  expect((await ask('PATCH', `/subscriptions/${body.id}`, {})).status).toBe(404);
});

test('notifications are given up after four hours, and then reported as missed', async () => {
  let isDown = true;
  const { url, items } = await openEndpoint(({ query }, response) => {
    if (query !== null || !isDown) return false;
    response.writeHead(503).end();
    return true;
  });
  await subscribe(url, { lifecycleNotificationUrl: url });
  await graph.deliver(support, { subject: 'x' });
  await graph.advance(5 * 3_600_000);
  expect(graph.pushes().some(({ outcome }) => outcome === 'given up')).toBe(true);
  isDown = false;
  await graph.advance(600_000);
  expect(items().at(-1)).toMatchObject({ lifecycleEvent: 'missed' });
});

test('slow endpoints get notifications late; very slow ones get none, and learn that they missed some', async () => {
  const { url, items } = await openEndpoint(({ query, items: told }) => query === null && 'changeType' in told[0]);
  await subscribe(url, { lifecycleNotificationUrl: url });
  graph.behave({ judgedFrom: 1, pushTimeoutMs: 20, retryTimeoutMs: 40, followsUp: false });
  await graph.deliver(support, { subject: 'not answered in time' });
  await soon(() => graph.pushes().at(-1)?.outcome).toBe('timed out');
  await graph.deliver(support, { subject: 'held up' });
  await graph.advance(1_000);
  expect(graph.pushes().at(-1)).toMatchObject({ attempt: 2, outcome: 'timed out' });
  await graph.deliver(support, { subject: 'thrown away' });
  expect(graph.pushes().at(-1)).toMatchObject({ outcome: 'dropped' });
  await graph.advance(601_000);
  await soon(() => items().map(({ lifecycleEvent }) => lifecycleEvent)).toContain('missed');
});

test('notifications are lost, repeated and forged on command', async () => {
  const { url, items } = await openEndpoint();
  const { body } = await subscribe(url);
  graph.behave({ duplicateRate: 1 });
  await graph.deliver(support, { subject: 'twice' });
  await soon(() => items()).toHaveLength(2);
  graph.behave({ duplicateRate: 0, dropRate: 1 });
  await graph.deliver(support, { subject: 'lost' });
  expect(graph.pushes().at(-1)?.outcome).toBe('dropped');
  graph.behave({ dropRate: 0 });
  graph.forge(body.id, { clientState: 'wrong' });
  await soon(() => items().at(-1)?.clientState).toBe('wrong');
});
