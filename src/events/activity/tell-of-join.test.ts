import { expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo } from '../../../test/harness/links.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();

async function makeDesk() {
  const owner = await makeOwner(house);
  const [lead, member] = await Promise.all([1, 2].map(() => makeMember(house, owner.workspaceId, 'agent')));
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  if (lead === undefined || member === undefined) throw new Error('nobody was made');
  const memberIds = [lead.userId, member.userId];
  const people = { name: 'People', visibility: 'members', memberIds };
  const { id: teamId } = (await owner.call('POST', '/teams', people)).body;
  const join = async (by: Person, person: Person, fields: object = {}) => {
    expect((await by.call('PUT', `/teams/${teamId}/members/${person.userId}`, fields)).status).toBe(200);
    await house.drain();
  };
  return { owner, lead, member, admin, teamId, join };
}

const titlesOf = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.items.map(({ type, referenceId, actorId, title }: any) => [
    type,
    referenceId,
    actorId,
    title,
  ]);

test('those who lead a team hear of an admin who puts themselves into it, at once and by mail', async () => {
  const { owner, lead, member, admin, teamId, join } = await makeDesk();
  await join(owner, lead, { isLead: true });
  const stream = await readEvents(house, lead);
  await stream.until(() => stream.lastEventId() !== '');
  await join(admin, admin, { isLead: true });
  const told = [['team', teamId, admin.userId, 'An admin has joined your team People']];
  expect(await titlesOf(lead)).toEqual(told);
  expect([await titlesOf(member), await titlesOf(admin), await titlesOf(owner)]).toEqual([[], [], []]);
  const events = await stream.until((all) => all.some(({ event }) => event === 'notification'));
  stream.close();
  const joined = { event: 'team', data: { type: 'team.joined', teamId, userId: admin.userId } };
  expect(events.find(({ data }) => data.type === 'team.joined')).toMatchObject(joined);
  expect((await mailsTo(house, lead.email)).map(({ subject }) => subject)).toEqual(['An admin has joined People']);
});

test('if nobody leads the team, all its members hear of it', async () => {
  const { lead, member, admin, join } = await makeDesk();
  await join(admin, admin);
  expect([(await titlesOf(lead)).length, (await titlesOf(member)).length, (await titlesOf(admin)).length]).toEqual([
    1, 1, 0,
  ]);
});

test('whom somebody else puts into a team, and an owner who joins, bring no word', async () => {
  const { owner, lead, admin, join } = await makeDesk();
  await join(owner, admin);
  await join(owner, owner);
  await join(admin, lead);
  expect(await titlesOf(lead)).toEqual([]);
});
