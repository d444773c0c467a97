import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { mailsTo, newestToken } from '../../../../test/harness/links.ts';
import { call, makeOwner } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';

const password = 'correct horse battery';

describe('with verification off', () => {
  const house = useHouse();
  const register = (body: unknown) => call(house, 'POST', '/v1/auth/register', body);

  test('a registered person signs in at once and owns the first workspace', async () => {
    const registered = await register({ email: ' Ann@Example.org ', password, name: 'Ann', workspaceName: 'Acme' });
    expect(registered.status).toBe(201);
    expect(registered.body).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      passwordStrength: { score: 4, warning: null, suggestions: [] },
    });
    const session = await call(house, 'POST', '/v1/auth/session', {
      provider: 'local',
      email: 'ann@example.ORG',
      password,
    });
    expect(session.status).toBe(200);
    expect(session.body).toMatchObject({
      expiresIn: 3600,
      user: { id: registered.body.userId, email: 'Ann@Example.org', name: 'Ann' },
      workspace: { name: 'Acme', role: 'owner' },
    });
    expect(session.body.workspaces).toEqual([session.body.workspace]);
    expect(session.body.user).not.toHaveProperty('passwordHash');
    expect(await house.outbox()).toEqual([]);
  });

  test('a new workspace numbers its tickets from 1', async () => {
    await register({ email: 'counter@example.org', password });
    const counters = await house.app.db.rows(sql`
      select c.last_number as "lastNumber", w.name
      from users u join members m on m.user_id = u.id join workspaces w on w.id = m.workspace_id
      join ticket_counters c on c.workspace_id = m.workspace_id
      where u.email_key = 'counter@example.org'`);
    expect(counters).toEqual([{ lastNumber: 0, name: 'Workspace of counter' }]);
  });

  test('a taken address is recognised in any letter case', async () => {
    await register({ email: 'twice@example.org', password });
    const again = await register({ email: 'TWICE@example.org', password });
    expect([again.status, again.body.key]).toEqual([409, 'auth.email_taken']);
  });

  test('of many concurrent registrations of one address one wins, and the others leave nothing', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => register({ email: 'race@example.org', password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const made = await house.app.db.rows(sql`
      select 1 from users u join members m on m.user_id = u.id where u.email_key = 'race@example.org'`);
    expect(made).toHaveLength(1);
    const orphans = await house.app.db.rows(sql`
      select 1 from workspaces w where w.name = 'Workspace of race' offset 1`);
    expect(orphans).toHaveLength(0);
  });

  test.each([
    ['no body', undefined],
    ['no password', { email: 'x@example.org' }],
    ['a password of 7', { email: 'x@example.org', password: '1234567' }],
    ['a password of 4 code points in 8 units', { email: 'x@example.org', password: '😀😀😀😀' }],
    ['a password of 257', { email: 'x@example.org', password: 'x'.repeat(257) }],
    ['a number as password', { email: 'x@example.org', password: 12345678 }],
    ['a list as address', { email: ['x@example.org'], password }],
    ['an address without @', { email: 'example.org', password }],
    ['two lines in the address', { email: 'x@example.org\nbcc:y', password }],
    ['a control character in the address', '{"email":"x\\u0001@example.org","password":"correct horse"}'],
    ['U+0000 in the password', '{"email":"x@example.org","password":"12345678\\u0000"}'],
    ['a lone surrogate in the name', '{"email":"x@example.org","password":"12345678","name":"\\ud800"}'],
    ['a workspace name of 101', { email: 'x@example.org', password, workspaceName: 'w'.repeat(101) }],
  ])('%s is 400 and makes no account', async (_what, body) => {
    const answer = await register(body);
    expect([answer.status, answer.body.key]).toEqual([400, 'request.invalid']);
    expect(answer.body.params.issues.length).toBeGreaterThan(0);
    expect(await house.app.db.rows(sql`select 1 from users where email_key like 'x%@example.org'`)).toEqual([]);
  });

  test('an enormous password is 413 and creates no account', async () => {
    const answer = await register({ email: 'x@example.org', password: 'x'.repeat(1_000_000) });
    expect([answer.status, answer.body.key]).toEqual([413, 'request.too_large']);
    expect(await house.app.db.rows(sql`select 1 from users where email_key like 'x%@example.org'`)).toEqual([]);
  });

  test('spaces around a password are part of it', async () => {
    await register({ email: 'spaces@example.org', password: '  12345678  ' });
    const signIn = (tried: string) =>
      call(house, 'POST', '/v1/auth/session', { provider: 'local', email: 'spaces@example.org', password: tried });
    expect((await signIn('12345678')).status).toBe(401);
    expect((await signIn('  12345678  ')).status).toBe(200);
  });

  test('a password counts its code points, and its accents may be typed either way', async () => {
    const eight = 'é😀345678';
    expect((await register({ email: 'eight@example.org', password: eight })).status).toBe(201);
    const decomposed = { provider: 'local', email: 'eight@example.org', password: eight.normalize('NFD') };
    expect((await call(house, 'POST', '/v1/auth/session', decomposed)).status).toBe(200);
  });
});

describe('with verification required', () => {
  const house = useHouse({ EMAIL_VERIFICATION: 'required' });
  const post = (path: string, body: unknown) => call(house, 'POST', `/v1/auth/${path}`, body);

  test('a user signs in only after following the link, which works once', async () => {
    const email = 'verify@example.org';
    const registered = await post('register', { email, password });
    expect(registered.status).toBe(201);
    expect(registered.body).toEqual({ message: expect.any(String), passwordStrength: expect.any(Object) });

    const signIn = { provider: 'local', email, password };
    const early = await post('session', signIn);
    expect([early.status, early.body.key]).toEqual([403, 'auth.email_not_verified']);
    const wrong = await post('session', { ...signIn, password: 'wrong password' });
    expect([wrong.status, wrong.body.key]).toEqual([401, 'auth.invalid_credentials']);

    const token = await newestToken(house, email);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const verified = await post('verify-email', { token });
    expect([verified.status, verified.body]).toEqual([200, {}]);
    const again = await post('verify-email', { token });
    expect([again.status, again.body.key]).toEqual([410, 'auth.link_expired']);
    const session = await post('session', signIn);
    expect(session.status).toBe(200);
    expect(session.body.user.emailVerifiedAt).toMatch(/Z$/);
  });

  test('the answer does not reveal a taken address, but its owner gets a mail, once a minute', async () => {
    const email = 'owner@example.org';
    const first = await post('register', { email, password });
    const second = await post('register', { email, password });
    await post('register', { email: 'OWNER@example.org', password: 'another password' });
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    const mails = await mailsTo(house, email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Verify your e-mail address', 'You already have an account']);
    house.clock.advance(61_000);
    await post('register', { email, password });
    expect(await mailsTo(house, email)).toHaveLength(3);
  });

  test('of two concurrent uses of one link, one counts', async () => {
    const email = 'at-once@example.org';
    await post('register', { email, password });
    const token = await newestToken(house, email);
    const answers = await Promise.all([1, 2, 3, 4].map(() => post('verify-email', { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  });

  test('a newer link leaves older ones valid, and using one voids all', async () => {
    const email = 'several@example.org';
    await post('register', { email, password });
    const older = await newestToken(house, email);
    expect((await post('resend-verification', { email })).status).toBe(200);
    const newer = await newestToken(house, email);
    expect(newer).not.toBe(older);
    const both = await Promise.all([post('verify-email', { token: older }), post('verify-email', { token: newer })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  test('a link expires after 48 hours', async () => {
    const email = 'late@example.org';
    await post('register', { email, password });
    const token = await newestToken(house, email);
    house.clock.advance(48 * 3_600_000 + 1_000);
    expect((await post('verify-email', { token })).status).toBe(410);
  });

  test('unknown and odd tokens are 410, wrong types 400', async () => {
    expect((await post('verify-email', { token: 'nonsense' })).status).toBe(410);
    expect((await post('verify-email', { token: "' or 1=1 --" })).status).toBe(410);
    expect((await post('verify-email', { token: 7 })).status).toBe(400);
    expect((await post('verify-email', {})).status).toBe(400);
    expect((await post('verify-email', { token: 'x'.repeat(501) })).status).toBe(400);
  });

  test.each(['known@example.org', 'unknown@example.org'])(
    'a verification mail is sent again once a minute, for %s alike',
    async (email) => {
      if (email.startsWith('known')) await post('register', { email, password });
      const first = await post('resend-verification', { email });
      expect([first.status, first.body]).toEqual([200, {}]);
      const tooSoon = await post('resend-verification', { email: email.toUpperCase() });
      expect([tooSoon.status, tooSoon.body.key]).toEqual([429, 'rate_limited']);
      const retryAfter = Number(tooSoon.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(tooSoon.headers.get('ratelimit-policy')).toBe('"verification-mails";q=1;w=60');
      house.clock.advance(retryAfter * 1_000);
      expect((await post('resend-verification', { email })).status).toBe(200);
      expect(await mailsTo(house, email)).toHaveLength(email.startsWith('known') ? 3 : 0);
    },
  );

  test('of several concurrent calls for one address, one sends a mail', async () => {
    const calls = [1, 2, 3, 4].map(() => post('resend-verification', { email: 'burst@example.org' }));
    expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
  });

  test('a verified user gets no more verification mail', async () => {
    const person = await makeOwner(house);
    expect((await post('resend-verification', { email: person.email })).status).toBe(200);
    expect(await mailsTo(house, person.email)).toEqual([]);
  });
});

describe('with registration for the first run', () => {
  const house = useHouse({ REGISTRATION: 'first-run' });

  test('of many concurrent registrations one creates the first workspace, and the others are refused', async () => {
    const register = (n: number) =>
      call(house, 'POST', '/v1/auth/register', { email: `person-${n}@example.org`, password });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => register(n)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)]);
    expect(await register(9)).toMatchObject({ status: 403, body: { key: 'auth.registration_closed' } });
    expect(await house.app.db.rows(sql`select 1 from users`)).toHaveLength(1);
  });
});

describe('with registration by invitation', () => {
  const house = useHouse({ REGISTRATION: 'invite' });

  test('nobody registers', async () => {
    const answer = await call(house, 'POST', '/v1/auth/register', { email: 'a@example.org', password });
    expect([answer.status, answer.body.key]).toEqual([403, 'auth.registration_closed']);
    expect(await house.app.db.rows(sql`select 1 from users`)).toEqual([]);
  });
});

describe('with a minimum score for passwords', () => {
  const house = useHouse({ PASSWORD_MIN_SCORE: '3' });
  const register = (email: string, given: string) =>
    call(house, 'POST', '/v1/auth/register', { email, password: given });

  test('a password that is too easy to guess is refused with advice, also one made of the address', async () => {
    for (const [email, easy] of [
      ['ann@example.org', 'password1'],
      ['gwendolyn.archibald@example.org', 'gwendolynarchibald'],
    ] as const) {
      const { status, body } = await register(email, easy);
      expect([easy, status, body.key]).toEqual([easy, 400, 'request.invalid']);
      expect(body.params.issues).toMatchObject([
        { path: 'body.password', key: 'too_easy', message: expect.stringMatching(/too easy to guess\. \S+/) },
      ]);
      expect((await register(email, password)).status).toBe(201);
    }
  });

  test('an invited person may not choose a weak password either; an old one still signs in', async () => {
    const owner = await makeOwner(house);
    await owner.call('POST', '/invites', { email: 'invited@example.org', role: 'agent' });
    const token = await newestToken(house, 'invited@example.org');
    const accept = (given: string) =>
      call(house, 'POST', '/v1/auth/accept-invite', { token, email: 'invited@example.org', password: given });
    expect((await accept('password1')).body.params.issues[0].path).toBe('body.password');
    expect((await accept(password)).status).toBe(200);
    const passwordHash = await house.app.passwords.hash('password1');
    await house.app.db.tx((tx) =>
      tx.run(sql`update users set password_hash = ${passwordHash} where id = ${owner.userId}`),
    );
    const signIn = { provider: 'local', email: owner.email, password: 'password1' };
    expect((await call(house, 'POST', '/v1/auth/session', signIn)).status).toBe(200);
  });
});
