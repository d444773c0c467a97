import { expect, test } from 'vitest';
import { type EventReader, readEvents } from '../../../test/harness/event-reader.ts';
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

type MakeTicket = () => Promise<{ id: string }>;
const hasTold = (stream: EventReader, { id }: { id: string }) =>
  stream.until((events) => events.some(({ data }) => data.ticketId === id));

/** A stream that has told all that was there before, which a slow transaction elsewhere may have held back. */
async function listenTo(person: Person, makeTicket: MakeTicket) {
  const stream = await readEvents(house, person);
  await stream.until(() => stream.lastEventId() !== '');
  await hasTold(stream, await makeTicket());
  const told = stream.events.length;
  return { stream, news: () => stream.events.slice(told) };
}

/** What the stream of a person tells of the ticket `id` until `change` and a later event that they see. */
async function toldOf(person: Person, makeTicket: MakeTicket, id: string, change: (own: EventReader) => unknown) {
  const { stream, news } = await listenTo(person, makeTicket);
  await change(stream);
  await hasTold(stream, await makeTicket());
  stream.close();
  return news().filter(({ data }) => data.ticketId === id);
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
  const { stream, news } = await listenTo(bystander, makeTicket);
  const events = await toldOf(member, beacon, id, giveAway);
  expect(events).toMatchObject([{ event: 'ticket', data: { type: 'ticket.assigned', ticketId: id, ticket: null } }]);
  await hasTold(stream, await makeTicket());
  stream.close();
  expect(JSON.stringify(news())).not.toContain(id);
});

test('who follows a ticket no more is told if they see it no more, and only they are', async () => {
  const { owner, teamId, makeTicket } = await makeDesk();
  const member = await makeMember(house, owner.workspaceId, 'agent');
  const bystander = await makeMember(house, owner.workspaceId, 'agent');
  const [hidden, open] = [await makeTicket({ teamId }), await makeTicket()];
  for (const { id } of [hidden, open]) await owner.call('POST', `/tickets/${id}/followers`, { userId: member.userId });
  const others = [await listenTo(bystander, makeTicket), await listenTo(owner, makeTicket)];
  const unfollow = async (own: EventReader) => {
    for (const { id } of [open, hidden])
      expect((await owner.call('DELETE', `/tickets/${id}/followers/${member.userId}`)).status).toBe(204);
    // Signals and facts take ways of their own, so that a later fact may come first.
    await own.until((told) => told.some(({ event }) => event === 'team'));
  };
  const own = await listenTo(member, makeTicket);
  const events = await toldOf(member, makeTicket, hidden.id, unfollow);
  expect(events).toMatchObject([{ event: 'team', data: { ticketId: hidden.id } }]);
  expect(JSON.stringify(own.news())).not.toContain(open.id);
  own.stream.close();
  for (const { stream, news } of others) {
    await hasTold(stream, await makeTicket());
    stream.close();
    expect(JSON.stringify(news())).not.toContain(hidden.id);
  }
});
