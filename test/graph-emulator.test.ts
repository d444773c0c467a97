import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GraphEmulator, openGraphEmulator } from '../emulators/graph.ts';
import { openServer } from './small-server.ts';

let graph: GraphEmulator;
let token = '';
const soon = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });
const support = 'support@acme.example';
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  graph = await openGraphEmulator({ behaviour: { sentDelayMs: 0 } });
  token = (await refresh(graph.addMailbox({ address: support }).refreshToken)).body.access_token;
});
afterEach(async () => {
  await graph.close();
});
afterAll(() => Promise.all(closers.map((close) => close())));

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) {
  const response = await fetch(path.startsWith('http') ? path : `${graph.apiUrl}${path}`, {
    method,
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      prefer: 'IdType="ImmutableId"',
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : null) as any };
}

async function grant(members: Record<string, string>) {
  const client = { client_id: graph.client.id, client_secret: graph.client.secret };
  const body = new URLSearchParams({ ...client, ...members });
  const response = await fetch(graph.tokenUrl, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as any };
}
const refresh = (refreshToken: string) => grant({ grant_type: 'refresh_token', refresh_token: refreshToken });

type Told = { query: string | null; type: string | undefined; items: any[] };

/** An endpoint as the service has one, and what it was told. */
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

describe('tokens', () => {
  test('a code is given for a consent, and taken once, with its verifier', async () => {
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = new URLSearchParams({
      client_id: graph.client.id,
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1/back',
      scope: 'offline_access https://graph.microsoft.com/Mail.ReadWrite',
      state: 'state',
      login_hint: support,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const consent = async () => {
      const response = await fetch(`${graph.authorizeUrl}?${query}`, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '').searchParams;
    };
    const back = await consent();
    expect(back.get('state')).toBe('state');
    const redeem = (code: string | null, code_verifier: string) =>
      grant({
        grant_type: 'authorization_code',
        code: code ?? '',
        code_verifier,
        redirect_uri: 'http://127.0.0.1/back',
      });
    expect((await redeem((await consent()).get('code'), 'wrong')).body.error).toBe('invalid_grant');
    const { body } = await redeem(back.get('code'), verifier);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_599, scope: 'Mail.ReadWrite' });
    expect((await redeem(back.get('code'), verifier)).body.error_codes).toEqual([50_173]);
  });

  test('refresh tokens rotate, and run out with the grant; access tokens by the clock', async () => {
    const { refreshToken } = graph.addMailbox({ address: 'b@acme.example' });
    const { body } = await refresh(refreshToken);
    expect(body.refresh_token).not.toBe(refreshToken);
    expect((await refresh(refreshToken)).status).toBe(200);
    graph.revoke('b@acme.example');
    expect((await refresh(body.refresh_token)).body).toMatchObject({ error: 'invalid_grant', error_codes: [50_173] });
    expect((await grant({ grant_type: 'refresh_token', client_secret: 'wrong' })).body.error).toBe('invalid_client');
    expect((await ask('GET', '/me')).body.mail).toBe(support);
    await graph.advance(3_600_000);
    expect((await ask('GET', '/me')).body.error.code).toBe('InvalidAuthenticationToken');
  });

  test('an application reaches every mailbox, a person their own alone', async () => {
    graph.addMailbox({ address: 'b@acme.example' });
    expect((await ask('GET', '/users/b@acme.example/messages')).status).toBe(403);
    const { body } = await grant({ grant_type: 'client_credentials', scope: 'https://graph.microsoft.com/.default' });
    expect(body.refresh_token).toBeUndefined();
    token = body.access_token;
    expect((await ask('GET', '/users/b@acme.example/messages')).status).toBe(200);
    expect((await ask('GET', '/me/messages')).status).toBe(400);
  });
});

describe('delta', () => {
  const round = async (link: string, headers: Record<string, string> = {}) => {
    const pages: any[] = [];
    let next: string | undefined = link;
    while (next !== undefined) {
      const { body } = await ask('GET', next, undefined, headers);
      pages.push(body);
      next = body['@odata.nextLink'];
    }
    return { pages, items: pages.flatMap(({ value }) => value), link: pages.at(-1)['@odata.deltaLink'] as string };
  };

  test('lists a folder page by page, then what changed: created, sparse, and removed', async () => {
    for (let n = 0; n < 12; n++) await graph.deliver(support, { subject: `mail ${n}` });
    const first = await round('/me/mailFolders/inbox/messages/delta');
    expect(first.pages.map(({ value }) => value.length)).toEqual([10, 2]);
    const small = await round("/me/mailFolders('inbox')/messages/delta", {
      prefer: 'odata.maxpagesize=5, IdType="ImmutableId"',
    });
    expect(small.pages.map(({ value }) => value.length)).toEqual([5, 5, 2]);
    expect(small.items[0].id).toBe(first.items[0].id);
    const [gone, moved, seen] = first.items.map(({ id }) => id);
    graph.remove(support, gone);
    graph.move(support, moved, 'archive');
    graph.markRead(support, seen);
    const { id } = await graph.deliver(support, { subject: 'new' });
    const { items } = await round(first.link);
    expect(items).toEqual([
      { id: gone, '@removed': { reason: 'deleted' } },
      { id: moved, '@removed': { reason: 'deleted' } },
      { '@odata.etag': expect.any(String), id: seen, isRead: true, parentFolderId: expect.any(String) },
      expect.objectContaining({ id, subject: 'new' }),
    ]);
  });

  test('leaves out what came before the time that is asked for, and gives empty pages that lead on', async () => {
    await graph.deliver(support, { subject: 'old' }, { receivedAt: '2020-01-01T00:00:00Z' });
    await graph.deliver(support, { subject: 'new' });
    graph.behave({ emptyPageRate: 1 });
    const filter = encodeURIComponent('receivedDateTime ge 2021-01-01T00:00:00Z');
    const { pages, items } = await round(`/me/mailFolders/inbox/messages/delta?$select=subject&$filter=${filter}`);
    expect(pages[0].value).toEqual([]);
    expect(items).toEqual([{ '@odata.etag': expect.any(String), id: expect.any(String), subject: 'new' }]);
  });

  test.each([
    ['410', 410, 'syncStateInvalid'],
    ['SyncStateNotFound', 400, 'SyncStateNotFound'],
  ] as const)('is reset with %s', async (how, status, code) => {
    const { link } = await round('/me/mailFolders/inbox/messages/delta');
    graph.resetDelta(support, how);
    const refused = await ask('GET', link);
    expect(refused).toMatchObject({ status, body: { error: { code } } });
    expect(refused.headers.has('location')).toBe(status === 410);
  });
});

describe('messages', () => {
  test('ids are immutable for whoever asks for that; others change with a move', async () => {
    const { id } = await graph.deliver(support, { subject: 'x' });
    const plain = (await ask('GET', '/me/messages', undefined, { prefer: '' })).body.value[0].id;
    expect(plain).not.toBe(id);
    graph.move(support, id, 'junkemail');
    expect((await ask('GET', `/me/messages/${plain}`)).body.error.code).toBe('ErrorItemNotFound');
    expect((await ask('GET', `/me/messages/${id}`)).body.subject).toBe('x');
  });

  test('the bytes are rebuilt, the headers are there when asked for, and a mail is found by its Message-ID', async () => {
    const raw = Buffer.from("From: a@b.c\r\nmessage-id: <o'x@b.c>\r\nX-Tag: 1\r\n\r\nbody\r\n");
    const { id } = await graph.deliver(support, raw);
    const { text } = await ask('GET', `/me/messages/${id}/$value`);
    expect(text).toContain("Message-ID: <o'x@b.c>\r\nX-Tag: 1\r\n");
    expect(text.endsWith('\r\n\r\nbody\r\n')).toBe(true);
    const { body } = await ask('GET', `/me/messages/${id}?$select=internetMessageHeaders,uniqueBody`);
    expect(body.internetMessageHeaders).toContainEqual({ name: 'X-Tag', value: '1' });
    expect(body).not.toHaveProperty('subject');
    const filter = encodeURIComponent("internetMessageId eq '<o''x@b.c>'");
    expect((await ask('GET', `/me/messages?$filter=${filter}`)).body.value).toHaveLength(1);
  });

  test('a list in the order of time leads from page to page', async () => {
    for (const day of ['03', '01', '02'])
      await graph.deliver(support, { subject: day }, { receivedAt: `2026-01-${day}T00:00:00Z` });
    const filter = encodeURIComponent('receivedDateTime ge 2026-01-02T00:00:00Z');
    const path = `/me/mailFolders/inbox/messages?$top=1&$orderby=receivedDateTime&$filter=${filter}`;
    const { body } = await ask('GET', path);
    const next = await ask('GET', body['@odata.nextLink']);
    expect([...body.value, ...next.body.value].map(({ subject }) => subject)).toEqual(['02', '03']);
    expect(next.body).not.toHaveProperty('@odata.nextLink');
    expect((await ask('GET', `/me/messages?$orderby=receivedDateTime&$filter=isRead%20eq%20false`)).status).toBe(400);
  });
});

describe('sending', () => {
  const mime = (headers = '') =>
    Buffer.from(
      `From: ${support}\r\nTo: Ann <ann@example.com>\r\nBcc: boss@example.com\r\nSubject: Hi\r\nMessage-ID: <own@acme.example>\r\n${headers}\r\nbody\r\n`,
    ).toString('base64');

  test('a draft of MIME keeps its id when it is sent, and gets another Message-ID', async () => {
    const asked = await graph.deliver(support, { subject: 'Hi', messageId: 'asked@example.com' });
    const draft = await ask('POST', '/me/messages', mime('In-Reply-To: <asked@example.com>\r\n'));
    expect(draft).toMatchObject({ status: 201, body: { isDraft: true, conversationId: asked.conversationId } });
    const file = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'ä.txt', contentBytes: 'aGVsbG8=' };
    expect((await ask('POST', `/me/messages/${draft.body.id}/attachments`, file)).status).toBe(201);
    graph.behave({ sentDelayMs: 60_000 });
    expect(await ask('POST', `/me/messages/${draft.body.id}/send`)).toMatchObject({ status: 202, text: '' });
    expect((await ask('GET', `/me/messages/${draft.body.id}`)).status).toBe(404);
    await graph.advance(60_000);
    const { body } = await ask('GET', `/me/messages/${draft.body.id}`);
    expect(body).toMatchObject({ isDraft: false, hasAttachments: true, conversationId: asked.conversationId });
    const [received] = graph.received('ann@example.com');
    expect(body.internetMessageId).toBe(`<${received?.messageId}>`);
    expect(received?.messageId).not.toBe('own@acme.example');
    expect(received?.raw.toString()).not.toContain('boss@example.com');
    expect(graph.received('boss@example.com')).toHaveLength(1);
    const answer = await graph.reply(received?.id ?? '', { text: 'Thanks' });
    expect(answer.conversationId).toBe(asked.conversationId);
  });

  test('a reply of JSON is threaded by Exchange, which takes x- headers alone and five at most', async () => {
    const asked = await graph.deliver(support, { subject: 'Help', messageId: 'asked@example.com' });
    const { body } = await ask('POST', `/me/messages/${asked.id}/createReply`, { comment: 'Gladly' });
    expect(body).toMatchObject({ subject: 'RE: Help', conversationId: asked.conversationId });
    const { text } = await ask('GET', `/me/messages/${body.id}/$value`);
    expect(text).toContain('In-Reply-To: <asked@example.com>');
    const patched = await ask('PATCH', `/me/messages/${body.id}`, {
      body: { contentType: 'html', content: '<p>Grüße</p>' },
    });
    expect(patched.body.body.content).toContain('Grüße');
    const both = { comment: 'x', message: { body: { contentType: 'text', content: 'y' } } };
    expect((await ask('POST', `/me/messages/${asked.id}/reply`, both)).status).toBe(400);
    const headers = (names: string[]) => ({ internetMessageHeaders: names.map((name) => ({ name, value: '1' })) });
    const refused = async (names: string[]) => (await ask('POST', '/me/messages', headers(names))).body.error?.code;
    expect(await refused(['Auto-Submitted'])).toBe('InvalidInternetMessageHeader');
    expect(await refused(['x-1', 'x-2', 'x-3', 'x-4', 'x-5', 'x-6'])).toBe('InvalidInternetMessageHeaderCollection');
    expect(await refused(['x-1'])).toBeUndefined();
    expect((await ask('POST', '/me/sendMail', 'not base64')).body.error.code).toBe(
      'ErrorMimeContentInvalidBase64String',
    );
  });

  test('a large file goes up in slices, in order and without a token', async () => {
    const draft = await ask('POST', '/me/messages', mime());
    const size = 4_000_000;
    const item = { AttachmentItem: { attachmentType: 'file', name: 'big.bin', size } };
    const { body } = await ask('POST', `/me/messages/${draft.body.id}/attachments/createUploadSession`, item);
    const put = (from: number, to: number, headers = {}) =>
      fetch(body.uploadUrl, {
        method: 'PUT',
        body: new Uint8Array(to - from + 1),
        headers: { 'content-range': `bytes ${from}-${to}/${size}`, ...headers },
      });
    expect((await put(2_000_000, size - 1)).status).toBe(416);
    expect((await put(0, 1_999_999, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await (await put(0, 1_999_999)).json()) as object).toMatchObject({ nextExpectedRanges: ['2000000-'] });
    const last = await put(2_000_000, size - 1);
    expect(last.status).toBe(201);
    expect(last.headers.get('location')).toContain('/attachments/');
    const { value } = (await ask('GET', `/me/messages/${draft.body.id}/attachments`)).body;
    expect(value).toMatchObject([{ name: 'big.bin', size }]);
  });

  test('what was accepted is sent, though the answer was lost', async () => {
    const draft = await ask('POST', '/me/messages', mime());
    graph.setFault({ on: 'send', status: 504, isCarriedOut: true });
    expect((await ask('POST', `/me/messages/${draft.body.id}/send`)).status).toBe(504);
    await graph.advance(1);
    expect(graph.received('ann@example.com')).toHaveLength(1);
    expect(graph.messages(support, 'sentitems')).toHaveLength(1);
  });

  test.each([
    ['bounces', 'multipart/report'],
    ['is-absent', 'Auto-Submitted: auto-replied'],
  ] as const)('a customer whose mail %s says so', async (habit, mark) => {
    graph.setHabit('ann@example.com', habit);
    await ask('POST', '/me/sendMail', mime());
    await soon(() => graph.messages(support, 'inbox')).toHaveLength(1);
    const [answer] = graph.messages(support, 'inbox');
    expect(graph.raw(support, answer?.id ?? '').toString()).toContain(mark);
  });
});

describe('limits', () => {
  test('a fifth request at once, and one over the window’s number, are throttled', async () => {
    graph.setFault({ on: 'profile', kind: 'stalled', times: 4 });
    const leaving = new AbortController();
    const hanging = [1, 2, 3, 4].map(() => ask('GET', '/me', undefined, {}, leaving.signal).catch(() => 'left'));
    await soon(() => graph.requests().filter(({ operation }) => operation === 'profile')).toHaveLength(4);
    const refused = await ask('GET', '/me/messages');
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'ApplicationThrottled' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    leaving.abort();
    expect(await Promise.all(hanging)).toEqual(['left', 'left', 'left', 'left']);
    await soon(async () => (await ask('GET', '/me/messages')).status).toBe(200);
    graph.behave({ requestsPerWindow: 5 });
    expect((await ask('GET', '/me/messages')).status).toBe(429);
    await graph.advance(600_000);
    expect((await ask('GET', '/me/messages')).status).toBe(200);
  });

  test('faults befall what they name, as often as they say', async () => {
    graph.setFault({ on: 'profile', status: 503, retryAfterSeconds: 7, times: 2 });
    expect((await ask('GET', '/me/messages')).status).toBe(200);
    expect((await ask('GET', '/me')).headers.get('retry-after')).toBe('7');
    expect((await ask('GET', '/me')).status).toBe(503);
    graph.setFault({ on: 'profile', kind: 'broken' });
    await expect(ask('GET', '/me')).rejects.toThrow();
    expect((await ask('GET', '/me')).status).toBe(200);
  });
});

describe('subscriptions', () => {
  test('are made once both addresses have given the token back', async () => {
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
  ])('are not made when the token comes back %s', async (_how, status, type, echo) => {
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
  ])('are refused with %s', async (code, members) => {
    expect((await subscribe('http://127.0.0.1:1/hook', members())).body.error.code).toBe(code);
  });

  test('tell of what changes in their folder, and of nothing else', async () => {
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

  test('of a whole mailbox tell of drafts too, by ids that are immutable only if that was asked for', async () => {
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

  test('are tried again until somebody takes what they tell, and pause until they are authorised again', async () => {
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

  test('give up after four hours, and then say that something was missed', async () => {
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

  test('are told later where answers are slow, and nothing where they are very slow, which is owned up to', async () => {
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

  test('lose, repeat and forge as they are told', async () => {
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
});

test('mail between mailboxes, with a tag in the address or not, comes to their inboxes; what goes outside is handed on', async () => {
  const handedOn: string[][] = [];
  const other = await openGraphEmulator({ onOutgoing: (_raw, recipients) => handedOn.push(recipients) });
  closers.push(other.close);
  other.addMailbox({ address: support });
  other.addMailbox({ address: 'b@acme.example' });
  const to = ['support+tag@acme.example', 'ann@example.com'];
  await other.sendByHand('b@acme.example', { to, subject: 'Hi', messageId: 'hand@acme.example' });
  expect(other.messages(support)).toMatchObject([{ folder: 'inbox', internetMessageId: '<hand@acme.example>' }]);
  expect(handedOn).toEqual([['ann@example.com']]);
  const [sent] = other.received();
  expect(graph.carry(sent?.raw ?? Buffer.alloc(0), [support])).toHaveLength(1);
});

test('odd mail comes in as it is', async () => {
  for (const kind of ['list', 'broken'] as const) await graph.deliverOdd(support, kind);
  const [list, broken] = graph.messages(support);
  expect((await ask('GET', `/me/messages/${list?.id}/$value`)).text).toContain('List-Id: <members.lists.example.com>');
  expect((await ask('GET', `/me/messages/${broken?.id}/$value`)).text).toContain('a line that is no header');
  expect((await ask('GET', `/me/messages/${broken?.id}`)).status).toBe(200);
});

test('another process gives the same orders over HTTP', async () => {
  const order = async (command: string, members: object) => {
    const response = await fetch(`${graph.url}/control/${command}`, { method: 'POST', body: JSON.stringify(members) });
    return { status: response.status, body: (await response.json()) as any };
  };
  const address = 'c@acme.example';
  expect((await order('addMailbox', { address })).body.refreshToken).toEqual(expect.any(String));
  const raw = Buffer.from('From: a@b.c\r\nSubject: Hello\r\n\r\nx\r\n').toString('base64');
  const { body } = await order('deliver', { address, raw, folder: 'junkemail' });
  expect((await order('messages', { address })).body).toMatchObject([
    { id: body.id, subject: 'Hello', folder: 'junkemail' },
  ]);
  await order('sendByHand', { address, mail: { to: ['ann@example.com'], subject: 'By hand' } });
  const [received] = (await order('received', { address: 'ann@example.com' })).body;
  expect(Buffer.from(received.raw, 'base64').toString()).toContain('Subject: By hand');
  expect(await order('nothing', {})).toMatchObject({ status: 404 });
  expect(await order('deliver', { address: 'nobody@acme.example' })).toMatchObject({ status: 400 });
});
