import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import type { Role } from '../../../ground/catalog/permissions.ts';
import { sql } from '../../../ground/database/sql.ts';

const house = useHouse();
const create = (by: Person, body: object, headers?: Record<string, string>) =>
  by.call('POST', '/api-keys', body, headers);

type MadeKey = { id: string; secret: string; ask: Person['call'] };

async function makeKey(by: Person, role: Role = 'agent'): Promise<MadeKey> {
  const { status, body } = await create(by, { name: 'Robot', role });
  expect(status).toBe(201);
  return { id: body.id, secret: body.secret, ask: asking(by.workspaceId, body.secret) };
}

function asking(workspaceId: string, secret: string): Person['call'] {
  return (method, path, body, headers) =>
    call(house, method, path.startsWith('/v1') ? path : `/v1/workspaces/${workspaceId}${path}`, body, {
      authorization: `Bearer ${secret}`,
      'x-workspace-id': workspaceId,
      ...headers,
    });
}

describe('making and listing', () => {
  test('the secret is shown once, and only its hash and ending are stored', async () => {
    const owner = await makeOwner(house);
    const made = await create(owner, { name: '  Nightly export ', role: 'viewer' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Nightly export',
        role: 'viewer',
        teamIds: null,
        secret: expect.stringMatching(/^kontor_[\w-]{43}$/),
        createdAt: expect.any(String),
      },
    ]);
    const { id, secret, createdAt } = made.body;
    const list = await owner.call('GET', '/api-keys');
    expect(list.body).toEqual([
      {
        id,
        name: 'Nightly export',
        role: 'viewer',
        teamIds: null,
        hint: `kontor_…${secret.slice(-4)}`,
        createdBy: owner.userId,
        createdAt,
        lastUsedAt: null,
      },
    ]);
    const rows = await house.app.db.rows(sql`
      select k::text, (select string_agg(l::text, '') from audit_log l where l.workspace_id = ${owner.workspaceId})
      from api_keys k where k.workspace_id = ${owner.workspaceId}`);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(7, -4));
  });

  test('owners and admins create keys, with no role above their own', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await create(owner, { name: 'k', role: 'owner' })).status).toBe(201);
    expect((await create(admin, { name: 'k', role: 'admin' })).status).toBe(201);
    expect((await create(admin, { name: 'k', role: 'owner' })).body.key).toBe('auth.role_insufficient');
    for (const role of ['agent', 'viewer'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await create(member, { name: 'k', role: 'viewer' })).body.key).toBe('auth.role_insufficient');
      expect((await member.call('GET', '/api-keys')).status).toBe(403);
    }
    for (const body of [
      {},
      { name: 'k' },
      { role: 'agent' },
      { name: ' ', role: 'agent' },
      { name: 'k', role: 'king' },
    ])
      expect((await create(owner, body)).body.key).toBe('request.invalid');
  });

  test('an admin revokes the keys of admins, and not those of owners', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const ofOwner = (await create(owner, { name: 'k', role: 'agent' })).body.id;
    const ofAdmin = (await create(admin, { name: 'k', role: 'agent' })).body.id;
    expect((await admin.call('DELETE', `/api-keys/${ofOwner}`)).body.key).toBe('auth.role_insufficient');
    expect((await admin.call('DELETE', `/api-keys/${ofAdmin}`)).status).toBe(204);
    expect((await owner.call('DELETE', `/api-keys/${ofOwner}`)).status).toBe(204);
  });

  test('a repeated request neither shows the secret again nor creates a second key', async () => {
    const owner = await makeOwner(house);
    const headers = { 'idempotency-key': 'key-1' };
    const first = await create(owner, { name: 'k', role: 'agent' }, headers);
    expect([first.status, first.body.secret]).toEqual([201, expect.any(String)]);
    for (let time = 0; time < 2; time++) {
      const again = await create(owner, { name: 'k', role: 'agent' }, headers);
      expect([again.status, again.body.key]).toEqual([409, 'idempotency.secret_not_repeatable']);
    }
    expect((await create(owner, { name: 'other', role: 'agent' }, headers)).body.key).toBe('idempotency.key_reused');
    expect((await owner.call('GET', '/api-keys')).body).toHaveLength(1);
    const kept = await house.app.db.rows(sql`
      select body from idempotent_answers where workspace_id = ${owner.workspaceId}`);
    expect(JSON.stringify(kept)).not.toContain(first.body.secret);
  });

  test('a list comes in pages, newest first, and a workspace has at most a hundred keys', async () => {
    const owner = await makeOwner(house);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into api_keys (workspace_id, id, user_id, name, role, secret_hash, secret_ending, created_at)
        select ${owner.workspaceId}, gen_random_uuid(), ${owner.userId}, 'k', 'agent', int4send(n), 'abcd', ${tx.now}
        from generate_series(1, 99) n`),
    );
    const answers = await Promise.all([1, 2].map(() => create(owner, { name: 'k', role: 'agent' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await create(owner, { name: 'k', role: 'agent' })).body.key).toBe('key.too_many');
    const first = await owner.call('GET', '/api-keys?limit=60');
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await owner.call('GET', next);
    const ids = [...first.body, ...second.body].map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect([ids.length, second.headers.get('link')]).toEqual([100, null]);
    expect((await owner.call('GET', '/api-keys?cursor=x')).status).toBe(400);
  });
});

describe('acting with a key', () => {
  test('it acts as its maker, with its own role', async () => {
    const owner = await makeOwner(house);
    const agent = await makeKey(owner, 'agent');
    const made = await agent.ask('POST', '/tickets', { subject: 'By a robot', body: 'Hello' });
    expect(made.status).toBe(201);
    const { body } = await agent.ask('GET', `/tickets/${made.body.id}/events`);
    expect(body.items[0].actor.userId).toBe(owner.userId);
    const viewer = await makeKey(owner, 'viewer');
    expect((await viewer.ask('GET', '/tickets')).body).toHaveLength(1);
    const refused = await viewer.ask('POST', '/tickets', { subject: 'No', body: 'No' });
    expect([refused.status, refused.body.key]).toEqual([403, 'auth.role_insufficient']);
    expect((await agent.ask('GET', '/audit')).status).toBe(403);
    expect((await (await makeKey(owner, 'admin')).ask('GET', '/audit')).status).toBe(200);
  });

  test('it never has more rights than its maker has now', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const key = await makeKey(admin, 'admin');
    const write = () => key.ask('POST', '/tickets', { subject: 's', body: 'b' });
    expect((await write()).status).toBe(201);
    await owner.call('PATCH', `/members/${admin.userId}`, { role: 'viewer' });
    expect((await write()).body.key).toBe('auth.role_insufficient');
    expect((await key.ask('GET', '/tickets')).status).toBe(200);
    expect((await key.ask('GET', '/audit')).body.key).toBe('auth.role_insufficient');
    await owner.call('PATCH', `/members/${admin.userId}`, { role: 'admin' });
    expect((await write()).status).toBe(201);
  });

  test('a key of any role cannot manage members, keys, settings or the user’s own account', async () => {
    const owner = await makeOwner(house);
    const member = await makeMember(house, owner.workspaceId, 'agent');
    const key = await makeKey(owner, 'owner');
    const tried: [string, string, object?][] = [
      ['GET', '/v1/me'],
      ['GET', '/v1/workspaces'],
      ['POST', '/v1/workspaces', { name: 'Mine' }],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/api-keys', { name: 'k', role: 'viewer' }],
      ['GET', '/api-keys'],
      ['PATCH', `/api-keys/${key.id}`, { teamIds: null }],
      ['DELETE', `/api-keys/${key.id}`],
      ['POST', '/invites', { email: 'a@example.org', role: 'owner' }],
      ['GET', '/invites'],
      ['PATCH', `/members/${member.userId}`, { role: 'owner' }],
      ['DELETE', `/members/${member.userId}`],
      ['DELETE', `/members/${owner.userId}`],
    ];
    for (const [method, path, body] of tried) {
      const answer = await key.ask(method, path, body);
      expect([method, path, answer.status, answer.body.key]).toEqual([method, path, 403, 'auth.session_required']);
    }
    expect((await key.ask('GET', '/members')).status).toBe(200);
  });

  test('it works only in its own workspace, and errors come in the order of a session’s', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into members (workspace_id, user_id, role, created_at)
        values (${other.workspaceId}, ${owner.userId}, 'owner', ${tx.now})`),
    );
    const { secret } = await makeKey(owner, 'owner');
    const ask = async (bearer: string, path: string, headers: Record<string, string>) => {
      const given = { authorization: `Bearer ${bearer}`, ...headers };
      const { status, body } = await call(house, 'GET', `/v1/workspaces/${path}/tickets`, undefined, given);
      return [status, body.key];
    };
    const [ours, theirs] = [owner.workspaceId, other.workspaceId];
    expect(await ask(secret, theirs, { 'x-workspace-id': theirs })).toEqual([403, 'workspace.forbidden']);
    expect(await ask(secret, ours, {})).toEqual([400, 'workspace.header_missing']);
    expect(await ask(secret, ours, { 'x-workspace-id': theirs })).toEqual([400, 'workspace.header_mismatch']);
    expect(await ask(secret, 'none', { 'x-workspace-id': 'none' })).toEqual([400, 'request.invalid']);
    for (const wrong of [
      `${secret}x`,
      secret.slice(0, -1),
      'kontor_',
      `kontor_${'A'.repeat(43)}`,
      secret.toUpperCase(),
    ])
      for (const header of [{ 'x-workspace-id': ours }, { 'x-workspace-id': theirs }, {}])
        expect(await ask(wrong, ours, header as Record<string, string>)).toEqual([401, 'auth.token_invalid']);
    const { status, body } = await call(house, 'GET', '/v1/me', undefined, { authorization: 'Bearer kontor_none' });
    expect([status, body.key]).toEqual([401, 'auth.token_invalid']);
  });

  test('a revoked key stops working at once; revoking it again, or from outside, is 404', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const key = await makeKey(admin);
    expect((await key.ask('GET', '/tickets')).status).toBe(200);
    expect((await other.call('DELETE', `/api-keys/${key.id}`)).body.key).toBe('key.not_found');
    const revoked = await admin.call('DELETE', `/api-keys/${key.id}`);
    expect([revoked.status, revoked.body]).toEqual([204, '']);
    expect((await key.ask('GET', '/tickets')).body.key).toBe('auth.token_invalid');
    expect((await owner.call('DELETE', `/api-keys/${key.id}`)).status).toBe(404);
    expect((await owner.call('GET', '/api-keys')).body).toEqual([]);
  });

  test('it is deleted with its maker’s membership', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const key = await makeKey(admin);
    expect((await owner.call('DELETE', `/members/${admin.userId}`)).status).toBe(204);
    expect((await key.ask('GET', '/tickets')).body.key).toBe('auth.token_invalid');
    expect((await owner.call('GET', '/api-keys')).body).toEqual([]);
  });

  test('it needs no second factor where the workspace requires one of members', async () => {
    const owner = await makeOwner(house);
    const key = await makeKey(owner);
    await house.app.db.tx((tx) =>
      tx.run(sql`update workspaces set require_second_factor = true where id = ${owner.workspaceId}`),
    );
    expect((await owner.call('GET', '/tickets')).status).toBe(403);
    expect((await key.ask('GET', '/tickets')).status).toBe(200);
  });

  test('its last use is recorded to the minute', async () => {
    const owner = await makeOwner(house);
    const key = await makeKey(owner);
    const lastUse = async () => (await owner.call('GET', '/api-keys')).body[0].lastUsedAt;
    await Promise.all(Array.from({ length: 10 }, () => key.ask('GET', '/tickets')));
    const first = await lastUse();
    expect(first).toEqual(expect.any(String));
    house.clock.advance(30_000);
    await key.ask('GET', '/tickets');
    expect(await lastUse()).toBe(first);
    house.clock.advance(31_000);
    await key.ask('GET', '/tickets');
    expect(Date.parse(await lastUse()) - Date.parse(first)).toBeGreaterThan(60_000);
  });

  test('Idempotency-Keys of two API keys of one maker are independent', async () => {
    const owner = await makeOwner(house);
    const keys = [await makeKey(owner), await makeKey(owner)];
    const headers = { 'idempotency-key': 'ticket-1' };
    const write = (ask: Person['call'], subject: string) => ask('POST', '/tickets', { subject, body: 'b' }, headers);
    const answers = [];
    for (const { ask } of keys) answers.push(await write(ask, `subject ${answers.length}`));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const again = await write(keys[0]!.ask, 'subject 0');
    expect([again.status, again.body.id]).toEqual([201, answers[0]?.body.id]);
    expect((await write(owner.call, 'subject 2')).status).toBe(201);
  });
});
