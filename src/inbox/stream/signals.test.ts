import { beforeAll, expect, test } from 'vitest';
import { type EventReader, readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

/** The events of the agent's stream during the work. */
async function told(doing: () => Promise<unknown>, event: string, count = 1): Promise<any[]> {
  const stream: EventReader = await readEvents(house, agent);
  await expect.poll(() => stream.lastEventId()).not.toBe('');
  await doing();
  const events = await stream.until((all) => all.filter((one) => one.event === event).length >= count);
  stream.close();
  return events.filter((one) => one.event === event).map(({ data }) => data);
}

test('an event has the ticket as the list shows it', async () => {
  const { body: ticket } = await owner.call('POST', '/tickets', {
    subject: 'Printer',
    body: 'It jams.',
    requester: { email: 'ann@example.org', name: 'Ann' },
  });
  const [event] = await told(
    () => owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Off and on?' }),
    'message',
  );
  const { unread: _, hasDraft: __, ...row } = (await owner.call('GET', '/tickets')).body[0];
  expect(event.ticket).toEqual(row);
  expect(event.ticket.lastMessage.snippet).toBe('Off and on?');
});

test('a notification arrives whole, and so does the fact that it was read', async () => {
  const assign = async () => {
    const { id } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
  };
  const [{ notification }] = await told(assign, 'notification');
  expect((await agent.call('GET', '/notifications')).body.items[0]).toEqual(notification);
  const read = async () => {
    await agent.call('PATCH', `/notifications/${notification.id}/read`);
    await agent.call('POST', '/notifications/read-all');
  };
  expect(await told(read, 'notification.read', 2)).toEqual([
    { notificationId: notification.id },
    { notificationId: null },
  ]);
});

test('a change of preferences reaches only their owner', async () => {
  const change = (person: Person) => () => person.call('PATCH', '/v1/me/preferences', { theme: 'dark' });
  const both = async () => {
    await change(owner)();
    await change(agent)();
  };
  expect(await told(both, 'preferences')).toEqual([{}]);
});

test('changes of views, workspace and members arrive', async () => {
  const view = { name: 'v', query: {}, isShared: true };
  expect(await told(() => owner.call('POST', '/views', view), 'view')).toEqual([{}]);
  expect(await told(() => owner.call('PATCH', '', { name: 'New' }), 'workspace')).toEqual([{}]);
  const other = await makeMember(house, owner.workspaceId, 'viewer');
  const change = () => owner.call('PATCH', `/members/${other.userId}`, { role: 'agent' });
  expect(await told(change, 'member')).toEqual([{ userId: other.userId }]);
  expect(await told(() => owner.call('DELETE', `/members/${other.userId}`), 'member')).toEqual([
    { userId: other.userId },
  ]);
  expect(await told(() => owner.call('PATCH', '/v1/me', { name: 'Ada' }), 'member')).toEqual([
    { userId: owner.userId },
  ]);
});
