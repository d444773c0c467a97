import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answer, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let admin: Person;
let agent: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  admin = await makeMember(house, owner.workspaceId, 'admin');
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

const make = async (name: string, more: object = {}): Promise<any> => {
  const { status, body } = await admin.call('POST', '/teams', { name, ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};
const keyOf = ({ status, body }: Answer) => [status, body.key ?? body.params];
const namesOf = async () => (await agent.call('GET', '/teams')).body.map(({ name }: { name: string }) => name);

test('admins make teams, and put members into them and out', async () => {
  const team = await make('Billing', { memberIds: [agent.userId] });
  expect(team).toMatchObject({
    name: 'Billing',
    visibility: 'workspace',
    position: 0,
    memberCount: 1,
    isMember: false,
  });
  const member = `/teams/${team.id}/members/${owner.userId}`;
  expect((await admin.call('PUT', member, { isLead: true })).body.members).toEqual([
    { userId: owner.userId, isLead: true },
    { userId: agent.userId, isLead: false },
  ]);
  expect((await admin.call('PUT', member, {})).body.members).toContainEqual({ userId: owner.userId, isLead: false });
  expect((await admin.call('DELETE', member)).status).toBe(204);
  expect(keyOf(await admin.call('DELETE', member))).toEqual([404, 'member.not_found']);
  expect((await agent.call('GET', '/teams')).body).toMatchObject([{ id: team.id, isMember: true, memberCount: 1 }]);
  expect((await agent.call('GET', `/teams/${team.id}`)).body.members).toHaveLength(1);
  const { body: log } = await owner.call('GET', '/audit');
  expect(log.items.map(({ type, subject }: any) => [type, subject.name]).toReversed()).toEqual([
    ['team.created', 'Billing'],
    ['team.member_added', 'Billing'],
    ['team.member_added', 'Billing'],
    ['team.member_changed', 'Billing'],
    ['team.member_removed', 'Billing'],
  ]);
});

test('agents and API keys change no team, and a stranger is in none', async () => {
  const { id } = await make('Billing');
  const stranger = await makeOwner(house);
  expect(keyOf(await agent.call('POST', '/teams', { name: 'Mine' }))).toEqual([403, 'auth.role_insufficient']);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'k', role: 'admin' });
  const byKey = await owner.call('DELETE', `/teams/${id}`, undefined, { authorization: `Bearer ${key.secret}` });
  expect(keyOf(byKey)).toEqual([403, 'auth.session_required']);
  expect(keyOf(await admin.call('PUT', `/teams/${id}/members/${stranger.userId}`, {}))).toEqual([
    404,
    'member.not_found',
  ]);
  const made = await admin.call('POST', '/teams', { name: 'New', memberIds: [stranger.userId] });
  expect(made.body.params.issues).toEqual([
    { path: 'body.memberIds', key: 'not_a_member', params: {}, message: expect.any(String) },
  ]);
  expect(keyOf(await stranger.call('GET', `/teams/${id}`))).toEqual([404, 'team.not_found']);
});

test('names are taken in any case, and teams keep the places that people give them', async () => {
  const [billing, sales, people] = [await make('Billing'), await make('Sales'), await make('People')];
  expect(keyOf(await admin.call('POST', '/teams', { name: ' bILLING ' }))).toEqual([409, 'team.name_taken']);
  expect(keyOf(await admin.call('POST', '/teams', { name: 'Bil\u200bling' }))).toEqual([409, 'team.name_taken']);
  expect(keyOf(await admin.call('PATCH', `/teams/${sales.id}`, { name: 'PEOPLE' }))).toEqual([409, 'team.name_taken']);
  await admin.call('PATCH', `/teams/${billing.id}`, { name: 'BILLING' });
  await admin.call('PATCH', `/teams/${people.id}`, { position: 0 });
  expect(await namesOf()).toEqual(['People', 'BILLING', 'Sales']);
  await admin.call('PATCH', `/teams/${people.id}`, { position: 199 });
  await admin.call('DELETE', `/teams/${billing.id}`);
  expect((await agent.call('GET', '/teams')).body).toMatchObject([
    { name: 'Sales', position: 0 },
    { name: 'People', position: 1 },
  ]);
});

test('a team that is in use is archived rather than deleted, and then takes no tickets', async () => {
  const { id } = await make('Billing');
  const { body: ticket } = await agent.call('POST', '/tickets', { subject: 's', body: 'b', teamId: id });
  expect(keyOf(await admin.call('DELETE', `/teams/${id}`))).toEqual([409, 'team.in_use']);
  const { workspaceId } = owner;
  const mailbox = await putMailbox(house, {
    workspaceId,
    provider: 'mail-b',
    address: `${id}@x.org`,
    refreshToken: 'r',
  });
  const patch = (teamId: string | null) => admin.call('PATCH', `/mailboxes/${mailbox.id}`, { teamId });
  expect((await patch(id)).body.teamId).toBe(id);
  const archive = () => admin.call('PATCH', `/teams/${id}`, { archived: true });
  expect((await archive()).body).toMatchObject({ key: 'team.in_use', params: { mailboxIds: [mailbox.id] } });
  expect((await patch(null)).body.teamId).toBeNull();
  expect((await archive()).body.archivedAt).toEqual(expect.any(String));
  for (const answer of [await patch(id), await agent.call('POST', '/tickets', { subject: 's', body: 'b', teamId: id })])
    expect(answer.body.params.issues).toMatchObject([{ path: 'body.teamId', key: 'not_a_team' }]);
  expect((await agent.call('GET', `/tickets?team=${id}`)).body).toMatchObject([{ id: ticket.id, teamId: id }]);
  await agent.call('PATCH', `/tickets/${ticket.id}`, { teamId: null });
  const other = (await make('Sales')).id;
  await patch(other);
  expect(keyOf(await admin.call('DELETE', `/teams/${other}`))).toEqual([409, 'team.in_use']);
  await admin.call('DELETE', `/mailboxes/${mailbox.id}`);
  for (const team of [id, other]) expect((await admin.call('DELETE', `/teams/${team}`)).status).toBe(204);
});

test('a workspace has 200 teams at most, of which 50 are restricted, and a team 500 members', async () => {
  const { workspaceId } = owner;
  const fill = (visibility: string, count: number) =>
    house.app.db.tx((tx) => {
      tx.revokes();
      return tx.run(sql`
        insert into teams (workspace_id, id, name, name_key, visibility, position, created_at)
        select ${workspaceId}, id, id::text, id::text, ${visibility}, 0, ${tx.now}
        from unnest(${Array.from({ length: count }, () => newId())}::uuid[]) id`);
    });
  const { id } = await make('Open');
  await fill('members', 50);
  expect(keyOf(await admin.call('PATCH', `/teams/${id}`, { visibility: 'members' }))).toEqual([
    409,
    'team.too_many_restricted',
  ]);
  expect(keyOf(await admin.call('POST', '/teams', { name: 'More', visibility: 'members' }))).toEqual([
    409,
    'team.too_many_restricted',
  ]);
  await fill('workspace', 149);
  expect(keyOf(await admin.call('POST', '/teams', { name: 'More' }))).toEqual([409, 'team.too_many']);
  await house.app.db.tx(async (tx) => {
    tx.revokes();
    const ids = Array.from({ length: 500 }, () => newId());
    await tx.run(sql`
      insert into users (id, email, email_key, created_at)
      select id, id || '@x.org', id || '@x.org', ${tx.now} from unnest(${ids}::uuid[]) id`);
    await tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      select ${workspaceId}, id, 'agent', ${tx.now} from unnest(${ids}::uuid[]) id`);
    await tx.run(sql`
      insert into team_members (workspace_id, team_id, user_id, created_at)
      select ${workspaceId}, ${id}, id, ${tx.now} from unnest(${ids}::uuid[]) id`);
  });
  expect(keyOf(await admin.call('PUT', `/teams/${id}/members/${agent.userId}`, {}))).toEqual([
    409,
    'team.too_many_members',
  ]);
});
