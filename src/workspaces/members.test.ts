import { describe, expect, test } from 'vitest';
import { call, makeMember, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';

const house = useHouse();
const setRole = (by: Person, who: { userId: string }, role: unknown) =>
  by.call('PATCH', `/members/${who.userId}`, { role });

describe('workspaces', () => {
  test('whoever makes one owns it, reads it and finds it in the list', async () => {
    const person = await makeOwner(house, 'First');
    const made = await person.call('POST', '/v1/workspaces', { name: '  Second  ' });
    expect([made.status, made.body]).toEqual([201, { id: expect.any(String), name: 'Second', role: 'owner' }]);
    const read = await person.call('GET', `/v1/workspaces/${made.body.id}`, undefined, {
      'x-workspace-id': made.body.id,
    });
    expect([read.status, read.body]).toEqual([200, made.body]);
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

  test('others do not read it', async () => {
    const [person, other] = [await makeOwner(house), await makeOwner(house)];
    const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': other.workspaceId };
    for (const path of ['', '/members', '/invites']) {
      const answer = await call(house, 'GET', `/v1/workspaces/${other.workspaceId}${path}`, undefined, headers);
      expect([answer.status, answer.body.key]).toEqual([403, 'workspace.forbidden']);
    }
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
    expect(all.body.map(({ userId }: { userId: string }) => userId)).toEqual(
      [owner, agent, viewer].map(({ userId }) => userId),
    );
    expect(all.body[1]).toEqual({
      userId: agent.userId,
      email: agent.email,
      name: 'Ben',
      role: 'agent',
      createdAt: expect.any(String),
    });
    const first = await viewer.call('GET', '/members?limit=2');
    expect(first.body).toEqual(all.body.slice(0, 2));
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await viewer.call('GET', next);
    expect([second.body, second.headers.get('link')]).toEqual([all.body.slice(2), null]);
  });

  test('odd pages are 400', async () => {
    const owner = await makeOwner(house);
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'cursor=x', 'cursor=bnVsbA', 'limit=1&limit=2']) {
      expect([query, (await owner.call('GET', `/members?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('a role change bites at the next request', async () => {
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

  test('only owners make and unmake owners', async () => {
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

  test('the last owner stays, and may remain what they are', async () => {
    const owner = await makeOwner(house);
    const refused = await setRole(owner, owner, 'admin');
    expect([refused.status, refused.body.key]).toEqual([409, 'member.last_owner']);
    expect((await setRole(owner, owner, 'owner')).status).toBe(200);
  });

  test('two owners who unmake each other at once leave one', async () => {
    for (let round = 0; round < 15; round++) {
      const owner = await makeOwner(house);
      const other = await makeMember(house, owner.workspaceId, 'owner');
      const answers = await Promise.all([setRole(owner, other, 'viewer'), setRole(other, owner, 'viewer')]);
      // The later one is refused at the gate, or because the caller is an owner no more by the time of its turn.
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
    for (const role of ['boss', 7, null, ['agent'], undefined]) {
      expect((await setRole(owner, owner, role)).status).toBe(400);
    }
  });
});
