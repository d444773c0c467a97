import { describe, expect, test, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, givePassword, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
const password = 'correct horse battery';
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  call(house, 'POST', `/v1/auth/${path}`, body, headers);

const signIn = ({ email }: { email: string }, more: object = {}) =>
  post('session', { provider: 'local', email, password, ...more });
const whoAmI = (token: string) => call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });

describe('signing in', () => {
  test('the workspace last used is the default; another may be named', async () => {
    const person = await givePassword(house, await makeOwner(house, 'First'), password);
    const second = await call(
      house,
      'POST',
      '/v1/workspaces',
      { name: 'Second' },
      { authorization: `Bearer ${person.token}` },
    );
    expect((await signIn(person)).body.workspace.name).toBe('First');
    const named = await signIn(person, { workspaceId: second.body.id.toUpperCase() });
    expect(named.body.workspace).toEqual({ id: second.body.id, name: 'Second', role: 'owner' });
    const unnamed = await signIn(person);
    expect(unnamed.body.workspace.name).toBe('Second');
    expect(unnamed.body.workspaces.map(({ name }: { name: string }) => name)).toEqual(['First', 'Second']);
  });

  test('a workspace of others and one that does not exist are the same 403', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const other = await makeOwner(house);
    for (const workspaceId of [other.workspaceId, '00000000-0000-7000-8000-000000000000']) {
      const answer = await signIn(person, { workspaceId });
      expect([answer.status, answer.body.key]).toEqual([403, 'workspace.forbidden']);
    }
    expect((await signIn(person, { workspaceId: 'mine' })).status).toBe(400);
  });

  test('someone without a workspace gets null and an empty list', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    await house.app.db.tx((tx) => tx.run(sql`delete from members where user_id = ${person.userId}`));
    const { status, body } = await signIn(person);
    expect([status, body.workspace, body.workspaces]).toEqual([200, null, []]);
  });

  test('a wrong password, an unknown address and an account without password get one answer', async () => {
    const known = await givePassword(house, await makeOwner(house), password);
    const withoutPassword = await makeOwner(house);
    const answers = await Promise.all([
      signIn(known, { password: 'wrong password' }),
      signIn(known, { password: 'x' }),
      signIn({ email: 'nobody@example.org' }),
      signIn(withoutPassword),
    ]);
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([
        401,
        { key: 'auth.invalid_credentials', params: {}, fallbackMessage: expect.any(String) },
      ]);
    }
  });

  test.each(['oauth_a', 'oauth_b', 'google', 'microsoft'])('%s is not set up', async (provider) => {
    const answer = await post('session', { provider, idToken: 'a.b.c' });
    expect([answer.status, answer.body.key]).toEqual([400, 'auth.provider_not_configured']);
  });

  test.each([
    ['an unknown provider', { provider: 'facebook', email: 'a@example.org', password }],
    ['no provider', { email: 'a@example.org', password }],
    ['a provider of a wrong type', { provider: ['local'], email: 'a@example.org', password }],
    ['a password of a wrong type', { provider: 'local', email: 'a@example.org', password: { $ne: '' } }],
    ['an enormous password', { provider: 'local', email: 'a@example.org', password: 'x'.repeat(10_000) }],
    ['U+0000 in the address', { provider: 'local', email: 'a\u0000@example.org', password }],
  ])('%s is 400', async (_what, body) => {
    const answer = await post('session', body);
    expect([answer.status, answer.body.key]).toEqual([400, 'request.invalid']);
  });

  test('all missing fields are reported at once', async () => {
    const { body } = await post('session', { provider: 'local' });
    expect(body.params.issues.map(({ path }: { path: string }) => path)).toEqual(['body.email', 'body.password']);
  });

  test('a bad Authorization header is ignored', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const headers = { authorization: 'Bearer nonsense' };
    const answer = await post('session', { provider: 'local', email: person.email, password }, headers);
    expect(answer.status).toBe(200);
  });

  test('a session stores its client’s address and user agent', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const headers = { 'user-agent': 'x'.repeat(2_000) };
    await post('session', { provider: 'local', email: person.email, password }, headers);
    const kept = await house.app.db.one<{ ip: string; userAgent: string }>(sql`
      select ip, user_agent as "userAgent" from sessions where user_id = ${person.userId} and ip is not null`);
    expect(kept).toEqual({ ip: '127.0.0.1', userAgent: 'x'.repeat(500) });
  });
});

describe('wrong passwords', () => {
  test('ten block the IP address for an account for 15 minutes, existing or not, right password or not', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    for (const email of [person.email, 'unknown-account@example.org']) {
      const guesses = [];
      for (let count = 0; count < 10; count++) guesses.push(await signIn({ email }, { password: `guess ${count}` }));
      expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401]));
      const closed = await signIn({ email: email.toUpperCase() });
      expect([closed.status, closed.body.key]).toEqual([429, 'rate_limited']);
      expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(800);
    }
    expect((await signIn(await givePassword(house, await makeOwner(house), password))).status).toBe(200);
    house.clock.advance(15 * 60_000 + 1_000);
    expect((await signIn(person)).status).toBe(200);
  });

  test('thirty concurrent guesses learn no more than ten, and right passwords never count', async () => {
    const person = await givePassword(house, await makeOwner(house), password);
    const right = await Promise.all(Array.from({ length: 12 }, () => signIn(person)));
    expect(new Set(right.map(({ status }) => status))).toEqual(new Set([200]));
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, count) => signIn(person, { password: `guess ${count}` })),
    );
    expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(20);
    house.clock.advance(15 * 60_000 + 1_000);
  });

  test('a hundred over all accounts block the IP address', async () => {
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into password_failures (id, account_key, ip, failed_at)
        select gen_random_uuid(), 'other-' || n || '@example.org', '127.0.0.1', ${tx.now}
        from generate_series(1, 100) n`),
    );
    expect((await signIn(await givePassword(house, await makeOwner(house), password))).status).toBe(429);
    house.clock.advance(15 * 60_000 + 1_000);
  });
});

describe('refreshing', () => {
  const refresh = (refreshToken: unknown) => post('refresh', { refreshToken });
  const start = async () => (await signIn(await givePassword(house, await makeOwner(house), password))).body;

  test('a refresh token is exchanged for the next pair of the same session', async () => {
    const session = await start();
    const next = await refresh(session.refreshToken);
    expect(next.status).toBe(200);
    expect(next.body).toMatchObject({
      user: session.user,
      workspace: session.workspace,
      workspaces: session.workspaces,
    });
    expect(next.body.refreshToken).not.toBe(session.refreshToken);
    expect((await whoAmI(next.body.accessToken)).status).toBe(200);
    expect((await refresh(next.body.refreshToken)).status).toBe(200);
  });

  test('a reused token ends the session', async () => {
    const session = await start();
    const next = (await refresh(session.refreshToken)).body;
    house.clock.advance(11_000);
    const reused = await refresh(session.refreshToken);
    expect([reused.status, reused.body.key]).toEqual([401, 'auth.token_invalid']);
    expect((await whoAmI(next.accessToken)).status).toBe(401);
    expect((await refresh(next.refreshToken)).status).toBe(401);
  });

  test('a reuse within 10 seconds is a retry: it gets another pair, and the unused pair is void', async () => {
    const session = await start();
    const lost = (await refresh(session.refreshToken)).body;
    const retried = await refresh(session.refreshToken);
    expect(retried.status).toBe(200);
    expect((await refresh(lost.refreshToken)).status).toBe(401);
    expect((await whoAmI(retried.body.accessToken)).status).toBe(200);
    expect((await refresh(retried.body.refreshToken)).status).toBe(200);
  });

  test('a reuse is no retry once the new token was used', async () => {
    const session = await start();
    const next = (await refresh(session.refreshToken)).body;
    const last = (await refresh(next.refreshToken)).body;
    expect((await refresh(session.refreshToken)).status).toBe(401);
    expect((await refresh(last.refreshToken)).status).toBe(401);
  });

  test('many concurrent calls with one token all succeed, and one pair stays valid', async () => {
    const session = await start();
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(session.refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const live = await house.app.db.rows(sql`
      select 1 from refresh_tokens t join sessions s on s.id = t.session_id
      where s.user_id = ${session.user.id} and s.ended_at is null and t.spent_at is null`);
    expect(live).toHaveLength(1);
  });

  test('of a token and its successor, used concurrently, one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const session = await start();
      const next = (await refresh(session.refreshToken)).body;
      const [retried, used] = await Promise.all([refresh(session.refreshToken), refresh(next.refreshToken)]);
      // If the retry came first it voids the unused successor; otherwise the reuse reveals a theft.
      expect([retried.status, used.status].toSorted()).toEqual([200, 401]);
    }
  });

  test('a session that ends meanwhile gets no new pair', async () => {
    const session = await start();
    const ending = await house.app.db.pool.connect();
    await ending.query('begin');
    await ending.query('update sessions set ended_at = now() where user_id = $1', [session.user.id]);
    const refreshed = refresh(session.refreshToken);
    const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(() => house.app.db.rows(waits)).toHaveLength(1);
    await ending.query('commit');
    ending.release();
    expect((await refreshed).status).toBe(401);
  });

  test('a refresh revokes no access, so the cache stays', async () => {
    const session = await start();
    const clear = vi.spyOn(house.app.access, 'clear');
    const next = (await refresh(session.refreshToken)).body;
    const retried = (await refresh(session.refreshToken)).body;
    expect((await refresh(next.refreshToken)).status).toBe(401);
    expect(clear).not.toHaveBeenCalled();
    await post('logout', { refreshToken: retried.refreshToken });
    expect(clear).toHaveBeenCalledOnce();
  });

  test('a refresh stays in the workspace of its session, and leaves it with the membership', async () => {
    const person = await givePassword(house, await makeOwner(house, 'Here'), password);
    const session = (await signIn(person)).body;
    const there = await makeOwner(house, 'There');
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into members (workspace_id, user_id, role, created_at)
        values (${there.workspaceId}, ${person.userId}, 'viewer', ${tx.now})`),
    );
    await signIn(person, { workspaceId: there.workspaceId });
    const next = (await refresh(session.refreshToken)).body;
    expect(next.workspace.name).toBe('Here');
    await house.app.db.tx((tx) =>
      tx.run(sql`delete from members where workspace_id = ${person.workspaceId} and user_id = ${person.userId}`),
    );
    const moved = (await refresh(next.refreshToken)).body;
    expect(moved.workspace).toEqual({ id: there.workspaceId, name: 'There', role: 'viewer' });
  });

  test('a refresh token expires after 30 days', async () => {
    const session = await start();
    house.clock.advance(30 * 86_400_000 + 1_000);
    expect((await refresh(session.refreshToken)).status).toBe(401);
  });

  test('unknown tokens are 401, wrong types 400', async () => {
    expect((await refresh('nonsense')).status).toBe(401);
    expect((await refresh(null)).status).toBe(400);
    expect((await refresh('x'.repeat(501))).status).toBe(400);
  });
});

describe('signing out', () => {
  test('ends the session at once, and answers the same for unknown and spent tokens', async () => {
    const session = (await signIn(await givePassword(house, await makeOwner(house), password))).body;
    const other = (await signIn({ email: session.user.email })).body;
    for (const refreshToken of [session.refreshToken, session.refreshToken, 'nonsense']) {
      const answer = await post('logout', { refreshToken });
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
    expect((await whoAmI(session.accessToken)).body.key).toBe('auth.token_invalid');
    expect((await post('refresh', { refreshToken: session.refreshToken })).status).toBe(401);
    expect((await whoAmI(other.accessToken)).status).toBe(200);
  });
});
