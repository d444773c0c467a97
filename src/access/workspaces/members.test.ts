import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newestToken } from '../../../test/harness/links.ts';
import { call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';

const house = useHouse();
const setRole = (by: Person, who: { userId: string }, role: unknown) =>
  by.call('PATCH', `/members/${who.userId}`, { role });

describe('workspaces', () => {
  test('the maker of a workspace owns it, reads it and finds it in the list', async () => {
    const person = await makeOwner(house, 'First');
    const made = await person.call('POST', '/v1/workspaces', { name: '  Second  ' });
    expect([made.status, made.body]).toEqual([201, { id: expect.any(String), name: 'Second', role: 'owner' }]);
    const read = await person.call('GET', `/v1/workspaces/${made.body.id}`, undefined, {
      'x-workspace-id': made.body.id,
    });
    expect([read.status, read.body]).toEqual([
      200,
      {
        ...made.body,
        ...{ requireSecondFactor: false, hasAnswered: false, ownAddresses: [], whenAnswered: null, tagColours: [] },
      },
    ]);
    const list = await person.call('GET', '/v1/workspaces');
    expect(list.body.map(({ name }: { name: string }) => name)).toEqual(['First', 'Second']);
    const again = await person.call('POST', '/v1/workspaces', { name: 'Second' });
    expect(again.body.id).not.toBe(made.body.id);
  });

  test('a name is needed, of 1 to 100 characters', async () => {
    const person = await makeOwner(house);
    for (const name of ['', '   ', 'n'.repeat(101), 7, null, undefined]) {
      expect((await person.call('POST', '/v1/workspaces', { name })).status).toBe(400);
    }
  });

  test('strangers cannot read it', async () => {
    const [person, other] = [await makeOwner(house), await makeOwner(house)];
    const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': other.workspaceId };
    for (const path of ['', '/members', '/invites']) {
      const answer = await call(house, 'GET', `/v1/workspaces/${other.workspaceId}${path}`, undefined, headers);
      expect([answer.status, answer.body.key]).toEqual([403, 'workspace.forbidden']);
    }
  });
});

describe('settings', () => {
  const change = (by: Person, body: object) => by.call('PATCH', '', body);
  const giveCode = ({ sessionId }: Person) =>
    house.app.db.tx((tx) => {
      tx.revokes();
      return tx.run(sql`update sessions set second_factor_at = ${tx.now} where id = ${sessionId}`);
    });

  test('owners and admins rename a workspace', async () => {
    const owner = await makeOwner(house, 'Old');
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const answer = await change(owner, { name: ' New ' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id: owner.workspaceId,
        name: 'New',
        role: 'owner',
        requireSecondFactor: false,
        hasAnswered: false,
        ownAddresses: [],
        whenAnswered: null,
        tagColours: [],
      },
    ]);
    expect((await change(admin, { name: 'Newer' })).body).toMatchObject({ name: 'Newer', role: 'admin' });
    expect((await change(owner, {})).body.name).toBe('Newer');
    for (const role of ['agent', 'viewer'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await change(member, { name: 'Mine' })).body.key).toBe('auth.role_insufficient');
    }
    for (const body of [{ name: '' }, { name: 7 }, { name: 'n'.repeat(101) }, { requireSecondFactor: 'true' }])
      expect((await change(owner, body)).status).toBe(400);
  });

  test('requiring a second factor needs a session with one, and then every member needs one', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const early = await change(owner, { requireSecondFactor: true });
    expect([early.status, early.body.key]).toEqual([403, 'workspace.second_factor_required']);
    expect((await agent.call('GET', '/tickets')).status).toBe(200);

    await giveCode(owner);
    expect((await change(owner, { requireSecondFactor: true })).body.requireSecondFactor).toBe(true);
    expect((await owner.call('GET', '/tickets')).status).toBe(200);
    const refused = await agent.call('GET', '/tickets');
    expect([refused.status, refused.body.key]).toEqual([403, 'workspace.second_factor_required']);
    expect((await agent.call('GET', '/v1/me')).status).toBe(200);
    // A member without a second factor may leave the workspace, but not remove other members.
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await admin.call('DELETE', `/members/${agent.userId}`)).body.key).toBe('workspace.second_factor_required');
    expect((await admin.call('DELETE', `/members/${admin.userId}`)).status).toBe(204);
    await giveCode(agent);
    expect((await agent.call('GET', '/tickets')).status).toBe(200);
    expect((await change(owner, { requireSecondFactor: false })).body.requireSecondFactor).toBe(false);
  });

  test('a user is in at most a hundred workspaces', async () => {
    const person = await makeOwner(house);
    await house.app.db.tx(async (tx) => {
      for (let count = 1; count < 99; count++) {
        const id = tx.newId();
        await tx.run(sql`insert into workspaces (id, name, created_at) values (${id}, 'Many', ${tx.now})`);
        await tx.run(sql`
          insert into members (workspace_id, user_id, role, created_at)
          values (${id}, ${person.userId}, 'viewer', ${tx.now})`);
      }
    });
    const make = () => person.call('POST', '/v1/workspaces', { name: 'One more' });
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await make()).body).toMatchObject({ key: 'workspace.too_many', params: { max: 100 } });
    expect((await person.call('GET', '/v1/workspaces')).body).toHaveLength(100);
  });
});

describe('members', () => {
  test('are listed page by page, for viewers too', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    await makeOwner(house);
    const all = await viewer.call('GET', '/members');
    expect(all.status).toBe(200);
    expect(all.headers.get('link')).toBeNull();
    expect(all.body.map(({ userId }: { userId: UserId }) => userId)).toEqual(
      [owner, agent, viewer].map(({ userId }) => userId),
    );
    expect(all.body[1]).toEqual({
      userId: agent.userId,
      email: agent.email,
      name: 'Ben',
      role: 'agent',
      access: 'all',
      createdAt: expect.any(String),
    });
    const first = await viewer.call('GET', '/members?limit=2');
    expect(first.body).toEqual(all.body.slice(0, 2));
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await viewer.call('GET', next);
    expect([second.body, second.headers.get('link')]).toEqual([all.body.slice(2), null]);
  });

  test('owners and admins see when members were last here, and who has a second factor', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const lastUsed = '2026-01-02T03:05:00.000Z';
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`delete from sessions where user_id = ${agent.userId}`);
      await tx.run(sql`update sessions set last_used_at = ${lastUsed} where user_id = ${owner.userId}`);
      await tx.run(sql`
        insert into second_factors (user_id, sealed_secret, created_at, confirmed_at)
        values (${owner.userId}, ${Buffer.from('sealed')}, ${tx.now}, ${tx.now}),
          (${admin.userId}, ${Buffer.from('sealed')}, ${tx.now}, null)`);
    });
    const signInsFor = async (person: Person, headers = {}) => {
      const { body } = await person.call('GET', '/members', undefined, headers);
      return body.map(({ lastSeenAt, hasSecondFactor }: any) => [lastSeenAt, hasSecondFactor]);
    };
    expect(await signInsFor(admin)).toEqual([
      [lastUsed, true],
      [expect.any(String), false],
      [null, false],
    ]);
    const { secret } = (await owner.call('POST', '/api-keys', { name: 'Robot', role: 'admin' })).body;
    const nothing = [undefined, undefined];
    expect(await signInsFor(owner, { authorization: `Bearer ${secret}` })).toEqual([nothing, nothing, nothing]);
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    expect(await signInsFor(viewer)).toEqual([nothing, nothing, nothing, nothing]);
  });

  test('odd pages are 400', async () => {
    const owner = await makeOwner(house);
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'cursor=x', 'cursor=bnVsbA', 'limit=1&limit=2']) {
      expect([query, (await owner.call('GET', `/members?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('a role change applies to the next request', async () => {
    const owner = await makeOwner(house);
    const member = await makeMember(house, owner.workspaceId, 'viewer');
    expect((await setRole(member, owner, 'agent')).body.key).toBe('auth.role_insufficient');
    const changed = await setRole(owner, member, 'admin');
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({ userId: member.userId, role: 'admin' }),
    ]);
    expect((await setRole(owner, member, 'admin')).body).toEqual(changed.body);
    expect((await member.call('GET', '/invites')).status).toBe(200);
    await setRole(owner, member, 'viewer');
    expect((await member.call('GET', '/invites')).status).toBe(403);
  });

  test('a demotion revokes invitations that exceed the new role', async () => {
    const owner = await makeOwner(house);
    const other = await makeMember(house, owner.workspaceId, 'owner');
    const invite = (by: Person, email: string, role: string) => by.call('POST', '/invites', { email, role });
    await invite(other, 'self-as-owner@example.org', 'owner');
    await invite(other, 'self-as-admin@example.org', 'admin');
    await invite(owner, 'another@example.org', 'owner');
    const token = await newestToken(house, 'self-as-owner@example.org');
    const pending = async () =>
      (await owner.call('GET', '/invites')).body.map(({ email }: { email: string }) => email).sort();

    await setRole(owner, other, 'admin');
    expect(await pending()).toEqual(['another@example.org', 'self-as-admin@example.org']);
    const body = { token, email: 'self-as-owner@example.org', password: 'correct horse battery' };
    expect((await call(house, 'POST', '/v1/auth/accept-invite', body)).body.key).toBe('auth.link_expired');
    await setRole(owner, other, 'agent');
    expect(await pending()).toEqual(['another@example.org']);
  });

  test('only owners change owners', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    expect((await setRole(admin, agent, 'owner')).status).toBe(403);
    expect((await setRole(admin, admin, 'owner')).status).toBe(403);
    expect((await setRole(admin, owner, 'agent')).status).toBe(403);
    expect((await setRole(admin, agent, 'viewer')).status).toBe(200);
    expect((await setRole(owner, agent, 'owner')).status).toBe(200);
    expect((await setRole(agent, owner, 'viewer')).status).toBe(200);
  });

  test('the last owner cannot be demoted, but may be set to owner again', async () => {
    const owner = await makeOwner(house);
    const refused = await setRole(owner, owner, 'admin');
    expect([refused.status, refused.body.key]).toEqual([409, 'member.last_owner']);
    expect((await setRole(owner, owner, 'owner')).status).toBe(200);
  });

  test('of two owners who demote each other concurrently one stays', async () => {
    for (let round = 0; round < 15; round++) {
      const owner = await makeOwner(house);
      const other = await makeMember(house, owner.workspaceId, 'owner');
      const answers = await Promise.all([setRole(owner, other, 'viewer'), setRole(other, owner, 'viewer')]);
      // The gate refuses the later request, or the verb does, since its caller is no longer an owner.
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      expect(answers.find(({ status }) => status === 403)?.body.key).toBe('auth.role_insufficient');
      const roles = (await owner.call('GET', '/members')).body.map(({ role }: { role: string }) => role);
      expect(roles.sort()).toEqual(['owner', 'viewer']);
    }
  });

  test('members of another workspace and unknown ones are the same 404', async () => {
    const [owner, other] = [await makeOwner(house), await makeOwner(house)];
    for (const userId of [other.userId, '00000000-0000-7000-8000-000000000000']) {
      const answer = await setRole(owner, { userId }, 'agent');
      expect([answer.status, answer.body.key]).toEqual([404, 'member.not_found']);
    }
    expect((await other.call('GET', '/members')).body[0].role).toBe('owner');
    expect((await setRole(owner, { userId: 'me' }, 'agent')).status).toBe(400);
    for (const role of ['boss', 7, ['agent']]) {
      expect((await setRole(owner, owner, role)).status).toBe(400);
    }
  });
});
