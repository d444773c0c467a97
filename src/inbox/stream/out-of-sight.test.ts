import { expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();

/** A workspace with a restricted team, and its owner, who makes tickets there. */
async function makeDesk() {
  const owner = await makeOwner(house);
  const { body: team } = await owner.call('POST', '/teams', { name: 'People', visibility: 'members' });
  const makeTicket = async (fields: object = {}): Promise<{ id: string }> =>
    (await owner.call('POST', '/tickets', { subject: 's', body: 'b', ...fields })).body;
  return { owner, teamId: team.id as string, makeTicket };
}

/** What the stream of a person tells until `change` and a later event of a ticket that everybody sees. */
async function toldOf(person: Person, beacon: () => Promise<{ id: string }>, change: () => Promise<unknown>) {
  const stream = await readEvents(house, person);
  await stream.until(() => stream.lastEventId() !== '');
  await change();
  const { id } = await beacon();
  await stream.until((events) => events.some(({ data }) => data.ticketId === id));
  stream.close();
  return stream.events.filter(({ data }) => data.ticketId !== id);
}

test.each(['all', 'teams'])('who has a ticket no more is told, with access %s', async (access) => {
  const { owner, teamId, makeTicket } = await makeDesk();
  const member = await makeMember(house, owner.workspaceId, 'agent');
  const bystander = await makeMember(house, owner.workspaceId, 'agent');
  const { id } = await makeTicket({ assigneeId: member.userId });
  await owner.call('PATCH', `/tickets/${id}`, { teamId });
  await owner.call('PATCH', `/members/${member.userId}`, { access });
  const beacon = () => makeTicket({ assigneeId: member.userId });
  const giveAway = () => owner.call('PATCH', `/tickets/${id}`, { assigneeId: null });
  const stream = await readEvents(house, bystander);
  await stream.until(() => stream.lastEventId() !== '');
  const events = await toldOf(member, beacon, giveAway);
  expect(events).toMatchObject([{ event: 'ticket', data: { type: 'ticket.assigned', ticketId: id, ticket: null } }]);
  await stream.until((told) => told.length > 0);
  stream.close();
  expect(stream.text()).not.toContain(id);
});

test('who follows a ticket no more is told if they see it no more, and only they are', async () => {
  const { owner, teamId, makeTicket } = await makeDesk();
  const member = await makeMember(house, owner.workspaceId, 'agent');
  const bystander = await makeMember(house, owner.workspaceId, 'agent');
  const [hidden, open] = [await makeTicket({ teamId }), await makeTicket()];
  for (const { id } of [hidden, open]) await owner.call('POST', `/tickets/${id}/followers`, { userId: member.userId });
  const unfollow = async () => {
    for (const { id } of [open, hidden])
      expect((await owner.call('DELETE', `/tickets/${id}/followers/${member.userId}`)).status).toBe(204);
  };
  const [stream, ofOwner] = [await readEvents(house, bystander), await readEvents(house, owner)];
  for (const each of [stream, ofOwner]) await each.until(() => each.lastEventId() !== '');
  const events = await toldOf(member, makeTicket, unfollow);
  expect(events).toMatchObject([{ event: 'team', data: { ticketId: hidden.id } }]);
  for (const each of [stream, ofOwner]) {
    await each.until((told) => told.length > 0);
    each.close();
    expect(each.text()).not.toContain(hidden.id);
  }
});
