import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newestToken } from '../../../test/harness/links.ts';
import { call, givePassword, makeMember, makeOwner } from '../../../test/worlds/factories.ts';

const password = 'correct horse battery';
const samePage = { 'sec-fetch-site': 'same-origin' };
const dayMs = 86_400_000;

const house = useHouse();
const secureHouse = useHouse({ PUBLIC_URL: 'https://desk.example.org' });

async function signIn(at = house) {
  const owner = await givePassword(at, await makeOwner(at), password);
  const body = { provider: 'local', email: owner.email, password, transport: 'cookie' };
  const answer = await call(at, 'POST', '/v1/auth/session', body, samePage);
  const setCookie = answer.headers.get('set-cookie') ?? '';
  const cookie = setCookie.split(';')[0] ?? '';
  const get = (path: string, headers = {}) => call(at, 'GET', path, undefined, { cookie, ...headers });
  const post = (path: string, sent: unknown, headers = {}) => call(at, 'POST', path, sent, { cookie, ...headers });
  const tickets = `/v1/workspaces/${owner.workspaceId}/tickets`;
  return { owner, answer, setCookie, cookie, get, post, tickets };
}

describe('a session in a cookie', () => {
  test('is hidden from scripts and other sites, and the answer holds no token', async () => {
    const { answer, setCookie, owner } = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ user: { id: owner.userId }, workspace: { id: owner.workspaceId } });
    expect(JSON.stringify(answer.body)).not.toMatch(/token/i);
    expect(setCookie).toMatch(/^kontor=\S+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const { setCookie: secure } = await signIn(secureHouse);
    expect(secure).toMatch(/^__Host-kontor=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  test('reads and writes without other headers than those of a browser', async () => {
    const { get, post, tickets } = await signIn();
    expect((await get(tickets)).status).toBe(200);
    expect((await get('/v1/me')).status).toBe(200);
    const made = await post(tickets, { subject: 's', body: 'b' }, samePage);
    expect(made.status).toBe(201);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the domain', { 'sec-fetch-site': 'same-site' }],
    ['nowhere', {}],
    ['another origin', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
  ])('writes nothing for a request from %s', async (_whence, headers) => {
    const { post, tickets, get } = await signIn();
    const refused = await post(tickets, { subject: 's', body: 'b' }, headers);
    expect([refused.status, refused.body.key]).toEqual([403, 'auth.cross_site']);
    expect((await get(tickets)).body).toEqual([]);
    const body = { provider: 'local', email: 'a@example.org', password, transport: 'cookie' };
    expect((await call(house, 'POST', '/v1/auth/session', body, headers)).body.key).toBe('auth.cross_site');
  });

  test('is found beside cookies of the same name, which another service on this host may have set', async () => {
    const { cookie, owner } = await signIn();
    const asRead = (header: string) => call(house, 'GET', '/v1/me', undefined, { cookie: header });
    for (const header of [`kontor=x; ${cookie}`, `${cookie}; kontor=x`, `kontor=; a=b; kontor=y.z.w; ${cookie}`])
      expect((await asRead(header)).body.user?.id).toBe(owner.userId);
    expect((await asRead('kontor=x; kontor=y')).status).toBe(401);
  });

  test('writes for a page whose browser sends only `Origin`', async () => {
    const { post, tickets } = await signIn();
    expect((await post(tickets, { subject: 's', body: 'b' }, { origin: house.url })).status).toBe(201);
  });

  test('is not read where a request carries Authorization, and is no bearer token', async () => {
    const { get, cookie, tickets, owner } = await signIn();
    expect((await get('/v1/me', { authorization: 'Bearer nonsense' })).status).toBe(401);
    expect((await get('/v1/me', { authorization: '' })).body.key).toBe('auth.token_missing');
    const asBearer = { authorization: `Bearer ${cookie.split('=')[1]}`, 'x-workspace-id': owner.workspaceId };
    expect((await call(house, 'GET', tickets, undefined, asBearer)).body.key).toBe('auth.token_invalid');
  });

  test('reaches no other workspace, by the path or by the header', async () => {
    const { get, tickets } = await signIn();
    const other = await makeOwner(house);
    expect((await get(`/v1/workspaces/${other.workspaceId}/tickets`)).body.key).toBe('workspace.forbidden');
    expect((await get(tickets, { 'x-workspace-id': other.workspaceId })).body.key).toBe('workspace.header_mismatch');
  });

  test('ends at sign-out, and the browser clears its storage', async () => {
    const { post, get } = await signIn();
    expect((await post('/v1/auth/logout', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const out = await post('/v1/auth/logout', {}, samePage);
    expect([out.status, out.body]).toEqual([200, {}]);
    expect(out.headers.get('set-cookie')).toMatch(/^kontor=; Max-Age=0;/);
    expect(out.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect((await get('/v1/me')).body.key).toBe('auth.token_invalid');
  });

  test('is renewed once a day while in use, and expires after thirty days without use', async () => {
    const { get } = await signIn();
    expect((await get('/v1/me')).headers.get('set-cookie')).toBeNull();
    house.clock.advance(dayMs + 1_000);
    const renewed = (await get('/v1/me')).headers.get('set-cookie') ?? '';
    expect(renewed).toMatch(/^kontor=\S+; Max-Age=2592000/);
    house.clock.advance(29 * dayMs);
    expect((await get('/v1/me')).body.key).toBe('auth.token_expired');
    const cookie = renewed.split(';')[0] ?? '';
    expect((await call(house, 'GET', '/v1/me', undefined, { cookie })).status).toBe(200);
  });

  test('lives no longer than the membership', async () => {
    const { owner, get, tickets } = await signIn();
    const member = await makeMember(house, owner.workspaceId, 'agent');
    await owner.call('PATCH', `/members/${member.userId}`, { role: 'owner' });
    expect((await member.call('DELETE', `/members/${owner.userId}`)).status).toBe(204);
    expect((await get(tickets)).body.key).toBe('workspace.forbidden');
  });
});

test('an invitation is accepted into a cookie session', async () => {
  const owner = await makeOwner(house);
  const email = 'new@example.org';
  await owner.call('POST', '/invites', { email, role: 'agent' });
  const body = { token: await newestToken(house, email), email, password, transport: 'cookie' };
  const accepted = await call(house, 'POST', '/v1/auth/accept-invite', body, samePage);
  expect([accepted.status, accepted.body.accessToken]).toEqual([200, undefined]);
  const cookie = accepted.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await call(house, 'GET', '/v1/me', undefined, { cookie })).status).toBe(200);
});
