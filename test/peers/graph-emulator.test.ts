import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { support, useGraph } from './graph-client.ts';

const graph = useGraph();
const { ask, grant, refresh } = graph;
const soon = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });

describe('tokens', () => {
  test('a consent gives a code, which works once, with its verifier', async () => {
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

  test('refresh tokens rotate and end with the grant; access tokens expire by the clock', async () => {
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

  test('an application reaches every mailbox, a person only their own', async () => {
    graph.addMailbox({ address: 'b@acme.example' });
    expect((await ask('GET', '/users/b@acme.example/messages')).status).toBe(403);
    const { body } = await grant({ grant_type: 'client_credentials', scope: 'https://graph.microsoft.com/.default' });
    expect(body.refresh_token).toBeUndefined();
    graph.token = body.access_token;
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

  test('lists a folder page by page, then its changes: created, sparse, and removed', async () => {
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

  test('leaves out mail before the requested time, and has empty pages that link onward', async () => {
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
  test('ids are immutable on request; otherwise a move changes them', async () => {
    const { id } = await graph.deliver(support, { subject: 'x' });
    const plain = (await ask('GET', '/me/messages', undefined, { prefer: '' })).body.value[0].id;
    expect(plain).not.toBe(id);
    graph.move(support, id, 'junkemail');
    expect((await ask('GET', `/me/messages/${plain}`)).body.error.code).toBe('ErrorItemNotFound');
    expect((await ask('GET', `/me/messages/${id}`)).body.subject).toBe('x');
  });

  test('the bytes are rebuilt, headers come on request, and a mail is found by its Message-ID', async () => {
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

  test('a list in order of time links from page to page', async () => {
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

describe('limits', () => {
  test('a fifth concurrent request, and a request over the window’s limit, are throttled', async () => {
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

  test('faults hit the named requests, as often as configured', async () => {
    graph.setFault({ on: 'profile', status: 503, retryAfterSeconds: 7, times: 2 });
    expect((await ask('GET', '/me/messages')).status).toBe(200);
    expect((await ask('GET', '/me')).headers.get('retry-after')).toBe('7');
    expect((await ask('GET', '/me')).status).toBe(503);
    graph.setFault({ on: 'profile', kind: 'broken' });
    await expect(ask('GET', '/me')).rejects.toThrow();
    expect((await ask('GET', '/me')).status).toBe(200);
  });
});

test('odd mail arrives unchanged', async () => {
  for (const kind of ['list', 'broken'] as const) await graph.deliverOdd(support, kind);
  const [list, broken] = graph.messages(support);
  expect((await ask('GET', `/me/messages/${list?.id}/$value`)).text).toContain('List-Id: <members.lists.example.com>');
  expect((await ask('GET', `/me/messages/${broken?.id}/$value`)).text).toContain('a line that is no header');
  expect((await ask('GET', `/me/messages/${broken?.id}`)).status).toBe(200);
});

test('another process sends the same commands over HTTP', async () => {
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
