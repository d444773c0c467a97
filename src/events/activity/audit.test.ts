import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newestToken } from '../../../test/harness/links.ts';
import { call, givePassword, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { encodeCursor } from '../../ground/lib/cursor.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
const password = 'correct horse battery';
const signIn = (email: string, tried = password) =>
  call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password: tried }, { 'user-agent': 'Browser 1' });
const entriesOf = async (person: Person, query = ''): Promise<any[]> =>
  (await person.call('GET', `/audit${query}`)).body.items;
const typesOf = async (person: Person, query = ''): Promise<string[]> =>
  (await entriesOf(person, query)).map(({ type }) => type);

test('times outside the database’s range are 400', async () => {
  const owner = await makeOwner(house);
  for (const time of ['0000-01-01T00:00:00Z', '2026-01-01T00:00:00-23:59', '2026-01-01T00:00:00Z[Europe/Berlin]'])
    expect([time, (await owner.call('GET', `/audit?from=${encodeURIComponent(time)}`)).status]).toEqual([time, 400]);
});

describe('the audit log has entries for', () => {
  test('a sign-in, with user, origin and correlation id', async () => {
    const owner = await givePassword(house, await makeOwner(house), password);
    const { headers } = await signIn(owner.email);
    const [entry, ...others] = await entriesOf(owner);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.any(String),
      type: 'session.started',
      actor: { userId: owner.userId, name: owner.email, apiKeyId: null, apiKeyName: null },
      subject: { type: 'user', id: owner.userId, name: owner.email },
      data: { sessionId: expect.any(String), withCode: false },
      ip: '127.0.0.1',
      userAgent: 'Browser 1',
      correlationId: headers.get('x-correlation-id'),
      createdAt: expect.any(String),
    });
  });

  test('a wrong password, without an actor; an unknown address leaves no entry', async () => {
    const owner = await givePassword(house, await makeOwner(house), password);
    expect((await signIn(owner.email, 'not the one')).status).toBe(401);
    expect((await signIn('nobody@example.org')).status).toBe(401);
    const entries = await entriesOf(owner);
    expect(entries).toMatchObject([
      { type: 'password.refused', actor: null, subject: { type: 'user', id: owner.userId }, ip: '127.0.0.1' },
    ]);
  });

  test('the end of sessions, by their owner and by token reuse', async () => {
    const owner = await givePassword(house, await makeOwner(house), password);
    const first = (await signIn(owner.email)).body;
    await call(house, 'POST', '/v1/auth/logout', { refreshToken: first.refreshToken });
    await call(house, 'POST', '/v1/auth/logout', { refreshToken: first.refreshToken });
    expect(await typesOf(owner)).toEqual(['session.ended', 'session.started']);

    const { refreshToken } = (await signIn(owner.email)).body;
    await call(house, 'POST', '/v1/auth/refresh', { refreshToken });
    house.clock.advance(11_000);
    expect((await call(house, 'POST', '/v1/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await entriesOf(owner))[0]).toMatchObject({ data: { reason: 'reused' }, actor: null });
    await signIn(owner.email);
    await owner.call('DELETE', '/v1/me/sessions');
    expect((await entriesOf(owner))[0]).toMatchObject({ type: 'session.others_ended', data: { count: 1 } });
  });

  test('a password that was changed or reset', async () => {
    const owner = await givePassword(house, await makeOwner(house), password);
    const answer = await owner.call('POST', '/v1/me/password', {
      currentPassword: password,
      newPassword: `${password} 2`,
    });
    expect(answer.status).toBeLessThan(300);
    await call(house, 'POST', '/v1/auth/forgot-password', { email: owner.email });
    const token = await newestToken(house, owner.email);
    await call(house, 'POST', '/v1/auth/reset-password', { token, password: `${password} 3` });
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect(await typesOf(admin, '?type=password.changed&type=password.reset')).toEqual([
      'password.reset',
      'password.changed',
    ]);
  });

  test('invitations, members, keys and settings', async () => {
    const owner = await makeOwner(house, 'Old');
    const { id: inviteId } = (await owner.call('POST', '/invites', { email: 'guest@example.org', role: 'agent' })).body;
    await owner.call('POST', `/invites/${inviteId}/resend`);
    const token = await newestToken(house, 'guest@example.org');
    const guest = await call(house, 'POST', '/v1/auth/accept-invite', { token, email: 'guest@example.org', password });
    const guestId = guest.body.user.id;
    await owner.call('PATCH', `/members/${guestId}`, { role: 'viewer' });
    await owner.call('PATCH', `/members/${guestId}`, { role: 'viewer' });
    await owner.call('DELETE', `/members/${guestId}`);
    const { id: keyId } = (await owner.call('POST', '/api-keys', { name: 'Robot', role: 'agent' })).body;
    await owner.call('DELETE', `/api-keys/${keyId}`);
    await owner.call('PATCH', '', { name: 'New' });
    await owner.call('PATCH', '', { name: 'New' });
    const other = (await owner.call('POST', '/invites', { email: 'other@example.org', role: 'agent' })).body;
    await owner.call('DELETE', `/invites/${other.id}`);

    const told = (await entriesOf(owner)).map(({ type, actor, subject, data }) => ({
      type,
      by: actor.userId,
      subject,
      data,
    }));
    const by = owner.userId;
    const user = { type: 'user', id: guestId, name: 'guest@example.org' };
    const invite = { type: 'invite', id: inviteId, name: 'guest@example.org' };
    const key = { type: 'key', id: keyId, name: 'Robot' };
    const data = { email: 'guest@example.org', role: 'agent' };
    expect(told.reverse()).toEqual([
      { type: 'invite.created', by, subject: invite, data },
      { type: 'invite.resent', by, subject: invite, data },
      { type: 'invite.accepted', by: guestId, subject: invite, data },
      {
        type: 'session.started',
        by: guestId,
        subject: user,
        data: { sessionId: expect.any(String), withCode: false },
      },
      { type: 'member.role_changed', by, subject: user, data: { from: 'agent', to: 'viewer' } },
      { type: 'member.removed', by, subject: user, data: { role: 'viewer' } },
      { type: 'key.created', by, subject: key, data: { name: 'Robot', role: 'agent' } },
      { type: 'key.revoked', by, subject: key, data: { name: 'Robot', role: 'agent' } },
      {
        type: 'workspace.changed',
        by,
        subject: { type: 'workspace', id: owner.workspaceId, name: 'New' },
        data: { name: { from: 'Old', to: 'New' } },
      },
      expect.objectContaining({ type: 'invite.created' }),
      expect.objectContaining({
        type: 'invite.revoked',
        subject: { type: 'invite', id: other.id, name: 'other@example.org' },
      }),
    ]);
  });

  test('no refused action', async () => {
    const owner = await makeOwner(house);
    await owner.call('DELETE', `/members/${owner.userId}`);
    await owner.call('PATCH', `/members/${owner.userId}`, { role: 'viewer' });
    await owner.call('POST', '/invites', { email: owner.email, role: 'agent' });
    await owner.call('DELETE', `/api-keys/${newId()}`);
    await owner.call('PATCH', '', { name: 'New', requireSecondFactor: true });
    expect(await entriesOf(owner)).toEqual([]);
  });
});

describe('reading it', () => {
  test('each workspace has its own; a sign-in appears only in the user’s workspaces at the time', async () => {
    const [one, two, three] = [await makeOwner(house), await makeOwner(house), await makeOwner(house)];
    const join = ({ workspaceId }: Person) =>
      house.app.db.tx((tx) =>
        tx.run(sql`
          insert into members (workspace_id, user_id, role, created_at)
          values (${workspaceId}, ${one.userId}, 'viewer', ${tx.now})`),
      );
    await givePassword(house, one, password);
    await join(two);
    await signIn(one.email);
    await join(three);
    expect(await typesOf(one)).toEqual(['session.started']);
    expect(await typesOf(two)).toEqual(['session.started']);
    expect(await typesOf(three)).toEqual([]);
    await two.call('DELETE', `/members/${one.userId}`);
    await signIn(one.email);
    expect(await typesOf(two)).toEqual(['member.removed', 'session.started']);
    expect(await typesOf(three)).toEqual(['session.started']);
  });

  test('only owners and admins can', async () => {
    const owner = await makeOwner(house);
    for (const [role, status] of [
      ['admin', 200],
      ['agent', 403],
      ['viewer', 403],
    ] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await member.call('GET', '/audit')).status).toBe(status);
    }
  });
});

describe('the list', () => {
  async function rename(person: Person, times: number): Promise<void> {
    for (let time = 1; time <= times; time++) {
      house.clock.advance(1_000);
      await person.call('PATCH', '', { name: `Name ${time}` });
    }
  }
  const namesOf = (items: any[]) => items.map(({ data }) => data.name?.to);

  test('comes in pages, newest first, and repeats nothing while new entries arrive', async () => {
    const owner = await makeOwner(house);
    await rename(owner, 5);
    const first = (await owner.call('GET', '/audit?limit=2')).body;
    expect(namesOf(first.items)).toEqual(['Name 5', 'Name 4']);
    await owner.call('PATCH', '', { name: 'Newest' });
    const second = (await owner.call('GET', `/audit?limit=2&cursor=${first.nextCursor}`)).body;
    expect(namesOf(second.items)).toEqual(['Name 3', 'Name 2']);
    const third = (await owner.call('GET', `/audit?limit=2&cursor=${second.nextCursor}`)).body;
    expect([namesOf(third.items), third.nextCursor]).toEqual([['Name 1'], undefined]);
  });

  test('shows entries of the same instant once each', async () => {
    const owner = await makeOwner(house);
    await house.app.db.tx(async (tx) => {
      for (let count = 0; count < 7; count++)
        await tx.run(sql`
          insert into audit_log (workspace_id, id, type, subject_id, data, created_at)
          values (${owner.workspaceId}, ${tx.newId()}, 'member.left', ${tx.newId()}, '{"role":"agent"}', ${tx.now})`);
    });
    const seen = new Set<string>();
    for (let cursor = '', page = 0; cursor !== undefined && page < 9; page++) {
      const { body } = await owner.call('GET', `/audit?limit=2${cursor && `&cursor=${cursor}`}`);
      for (const { id } of body.items) seen.add(id);
      cursor = body.nextCursor;
    }
    expect(seen.size).toBe(7);
  });

  test('is filtered by type, actor and time', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    await rename(owner, 2);
    await admin.call('POST', '/api-keys', { name: 'k', role: 'viewer' });
    expect(await typesOf(owner, '?type=key.created&type=key.revoked')).toEqual(['key.created']);
    expect(await typesOf(owner, `?actor=${admin.userId}`)).toEqual(['key.created']);
    expect(await typesOf(owner, `?actor=${admin.userId}&type=workspace.changed`)).toEqual([]);
    const [, later, earlier] = await entriesOf(owner);
    expect(namesOf(await entriesOf(owner, `?from=${earlier.createdAt}&to=${later.createdAt}`))).toEqual(['Name 1']);
    for (const query of [
      'type=x',
      'actor=me',
      'from=yesterday',
      'to=1',
      'limit=0',
      'limit=201',
      'cursor=x',
      'cursor=e30',
      `cursor=${encodeCursor({ at: later.createdAt, id: 'x' })}`,
      `cursor=${encodeCursor({ at: later.createdAt, id: 1 })}`,
      `cursor=${encodeCursor({ at: '2026-02-30T00:00:00.000Z', id: later.id })}`,
      `cursor=${encodeCursor({ at: '0000-01-01T00:00:00.000Z', id: later.id })}`,
    ])
      expect([query, (await owner.call('GET', `/audit?${query}`)).body.key]).toEqual([query, 'request.invalid']);
  });
});

test('the service’s database role adds and reads entries, and cannot change any', async () => {
  const owner = await makeOwner(house);
  await owner.call('PATCH', '', { name: 'New' });
  const role = await house.app.db.one(sql`
    select usesuper as "isSuperuser",
      (select tableowner = current_user from pg_tables where tablename = 'audit_log') as "isOwner"
    from pg_user where usename = current_user`);
  // With a superuser this test would prove nothing.
  expect(role).toEqual({ isSuperuser: false, isOwner: true });
  for (const statement of [
    sql`update audit_log set type = 'member.left'`,
    sql`delete from audit_log`,
    sql`truncate audit_log`,
    sql`insert into audit_log select * from audit_log
      on conflict (workspace_id, id) do update set type = 'member.left'`,
  ]) {
    await expect(house.app.db.rows(statement)).rejects.toThrow('permission denied for table audit_log');
  }
  expect(await typesOf(owner)).toEqual(['workspace.changed']);
});
