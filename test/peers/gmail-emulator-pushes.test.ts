import type { IncomingHttpHeaders } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openServer } from '../harness/small-server.ts';

type Push = { headers: IncomingHttpHeaders; body: any };
const pushed: Push[] = [];
/** The statuses of the endpoint's next answers. The last one repeats. */
let statuses: number[] = [202];
const endpoint = await openServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  pushed.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
  const status = statuses.length > 1 ? (statuses.shift() ?? 202) : (statuses[0] ?? 202);
  if (status === 102) response.writeProcessing();
  else response.writeHead(status).end();
});
const endpointUrl = `${endpoint.url}/push`;
const gmail = await openGmailEmulator({ now: () => new Date('2026-11-20T10:00:00Z'), endpoint: endpointUrl });
afterAll(() => Promise.all([gmail.close(), endpoint.close()]));

let address = '';
let refreshToken = '';
let token = '';
let made = 0;
beforeEach(async () => {
  gmail.clearFaults();
  gmail.configure({ project: undefined, deadLetterAfter: null, base64: 'standard', historyIdAs: 'number' });
  statuses = [202];
  await gmail.pushesSettled();
  pushed.length = 0;
  made++;
  ({ address, refreshToken } = gmail.addMailbox({ address: `help-${made}@kontor.example` }));
  token = await refresh();
});

async function refresh(): Promise<string> {
  const form = { client_id: 'client-of-kontor', client_secret: 'secret-of-kontor', refresh_token: refreshToken };
  const body = new URLSearchParams({ ...form, grant_type: 'refresh_token' });
  const response = await fetch(`${gmail.url}/token`, { method: 'POST', body });
  return ((await response.json()) as any).access_token;
}

async function post(path: string, body: object = {}) {
  const headers = { authorization: `Bearer ${token}` };
  const url = `${gmail.url}/gmail/v1/users/me${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
const watch = () => post('/watch', { topicName: 'projects/kontor/topics/mail', labelIds: ['INBOX'] });
const data = ({ body }: Push) => JSON.parse(Buffer.from(body.message.data, 'base64').toString());

test('a watch pushes at once and at changes of its labels, at most once a second, and lapses silently', async () => {
  const { body } = await watch();
  expect(body).toEqual({
    historyId: expect.stringMatching(/^\d+$/),
    expiration: String(gmail.now().getTime() + 604_800_000),
  });
  await gmail.deliver(address, {}, { labelIds: ['SPAM'] });
  const first = await gmail.deliver(address);
  await gmail.deliver(address);
  await gmail.advance(1_000);
  const third = await gmail.deliver(address);
  await gmail.pushesSettled();
  const told = [Number(body.historyId), Number(first.historyId), Number(third.historyId)];
  expect(pushed.map(data).sort((one, other) => one.historyId - other.historyId)).toEqual(
    told.map((historyId) => ({ emailAddress: address, historyId })),
  );
  await gmail.advance(7 * 24 * 3_600_000);
  await gmail.deliver(address);
  await gmail.pushesSettled();
  expect(pushed).toHaveLength(3);
  token = await refresh();
  await watch();
  expect((await post('/stop')).status).toBe(204);
  gmail.configure({ project: 'another' });
  expect((await watch()).status).toBe(400);
  expect(gmail.watches(address).map(({ state }) => state)).toEqual(['lapsed', 'stopped']);
});

test('a push is repeated under its id until an acknowledging status, with growing pauses', async () => {
  gmail.configure({ deadLetterAfter: 10, historyIdAs: 'string', base64: 'url-safe' });
  statuses = [203, 301, 204];
  await watch();
  await gmail.pushesSettled();
  expect(new Set(pushed.map(({ body }) => body.message.messageId)).size).toBe(1);
  expect(pushed.map(({ body }) => body.deliveryAttempt)).toEqual([1, 2, 3]);
  const [push] = pushed;
  expect(push?.body.message.message_id).toBe(push?.body.message.messageId);
  expect(data(push as Push).historyId).toEqual(expect.any(String));
  expect(
    gmail
      .pushes()
      .slice(-3)
      .map(({ status, outcome }) => [status, outcome]),
  ).toEqual([
    [203, 'refused'],
    [301, 'refused'],
    [204, 'acknowledged'],
  ]);
  statuses = [102];
  await watch();
  await gmail.pushesSettled();
  expect(gmail.pushes().at(-1)).toMatchObject({ status: 102, outcome: 'acknowledged', attempt: 1 });
});

test('pushes are lost, doubled and refused at the configured rates', async () => {
  gmail.setPushFaults({ drop: 1 });
  await watch();
  expect(gmail.pushes().at(-1)).toMatchObject({ status: null, outcome: 'dropped' });
  gmail.setPushFaults({ drop: 0, nack: 0.25, duplicate: 0.5, delayMs: 20 });
  for (let count = 0; count < 4; count++) {
    await watch();
    // One after another, so that the random faults come in the same order each time.
    await gmail.pushesSettled();
  }
  const ids = pushed.map(({ body }) => body.message.messageId);
  expect(new Set(ids).size).toBe(4);
  expect(ids.length).toBeGreaterThan(4);
});

test('a push carries a token that the published keys verify, the same for an hour', async () => {
  const keys = async () => {
    const response = await fetch(`${gmail.url}/oauth2/v3/certs`);
    expect(response.headers.get('cache-control')).toMatch(/max-age=\d+/);
    return (await response.json()) as any;
  };
  const bearer = () => pushed.at(-1)?.headers.authorization?.replace('Bearer ', '') ?? '';
  const pushNow = async () => {
    await watch();
    await gmail.pushesSettled();
    return bearer();
  };
  const used = await pushNow();
  const options = { audience: endpointUrl, issuer: 'https://accounts.google.com', currentDate: gmail.now() };
  const { payload } = await jwtVerify(used, createLocalJWKSet(await keys()), options);
  expect(payload).toMatchObject({ email: 'gmail-push@kontor.iam.gserviceaccount.com', email_verified: true });
  expect(Number(payload.exp)).toBe(Number(payload.iat) + 3_600);
  expect(await pushNow()).toBe(used);
  const { kid } = gmail.rotatePushKeys();
  expect((await keys()).keys.map((key: { kid: string }) => key.kid)[0]).toBe(kid);
  expect((await keys()).keys).toHaveLength(2);
  expect(await pushNow()).not.toBe(used);
  gmail.usePushToken('missing');
  expect(await pushNow()).toBe('');
  gmail.usePushToken('good');
  const claims = (token: string | undefined) =>
    JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims(gmail.mintPush('expired')).exp).toBeLessThan(gmail.now().getTime() / 1000);
  expect(gmail.mintPush('alg-none')).toMatch(/\.$/);
  const verify = async (token: string | undefined) => jwtVerify(token ?? '', createLocalJWKSet(await keys()), options);
  await expect(verify(gmail.mintPush('hour-old'))).resolves.toBeDefined();
  for (const variant of ['wrong-key', 'unknown-key', 'withdrawn-key', 'alg-hs256', 'other-issuer'] as const)
    await expect(verify(gmail.mintPush(variant))).rejects.toThrow();
});
