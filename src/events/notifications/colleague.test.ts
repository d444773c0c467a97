import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

/** Whom a colleague's note or answer tells. */

const house = useHouse();
let owner: Person;
let ann: Person;
let ben: Person;
let ticketId: string;

beforeEach(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  [ann, ben] = [await makeMember(house, workspaceId, 'agent', 'Ann'), await makeMember(house, workspaceId, 'agent')];
  for (const person of [ann, ben]) {
    const types = { colleague: { inApp: true } };
    expect((await person.call('PATCH', '/v1/me/notification-preferences', { types })).status).toBe(200);
  }
  const ticket = { subject: 'Lamp', body: 'It is dark.', requester: { email: 'c@example.net' } };
  ticketId = (await ann.call('POST', '/tickets', { ...ticket, assigneeId: ann.userId })).body.id;
});

const write = async (by: Person, fields: object = {}): Promise<any> => {
  const message = { body: 'I look into it', ...fields };
  const { status, body } = await by.call('POST', `/tickets/${ticketId}/messages`, message);
  expect(status).toBe(201);
  return body;
};
const told = async (person: Person): Promise<[string, string][]> =>
  (await person.call('GET', '/notifications')).body.items.map(({ type, title }: { type: string; title: string }) => [
    type,
    title.replace(/#\d+ /, ''),
  ]);

test('tells the assignee and the followers of notes and answers, but not their author', async () => {
  await ben.call('POST', `/tickets/${ticketId}/followers`);
  await write(owner, { isInternal: true });
  await write(ann);
  const note = ['colleague', 'New note in Lamp'];
  const answer = ['colleague', 'A teammate replied in Lamp'];
  expect([await told(ann), await told(ben), await told(owner)]).toEqual([[note], [answer, note], []]);
});

test('gives way to a mention and to an assignment in the same change', async () => {
  await write(owner, { body: `@[Ann](user:${ann.userId}) and more`, isInternal: true });
  expect(await told(ann)).toEqual([['mention', 'You were mentioned in Lamp']]);
  const { body: reply } = await owner.call('POST', '/saved-replies', {
    name: 'Hand over',
    body: 'Ben takes over.',
    actions: { assignee: ben.userId },
  });
  await write(owner, { body: 'Ben takes over.', savedReplyId: reply.id, runActions: true });
  expect((await told(ben)).map(([type]) => type)).toEqual(['assignment']);
});

test('is off until a person asks for it', async () => {
  const cem = await makeMember(house, owner.workspaceId, 'agent');
  await cem.call('POST', `/tickets/${ticketId}/followers`);
  await write(owner);
  expect(await told(cem)).toEqual([]);
});

test('does not survive an answer that is cancelled, unless it was read', async () => {
  await ben.call('POST', `/tickets/${ticketId}/followers`);
  const { id } = await write(owner, { sendEmail: true, sendAfterSeconds: 60 });
  await ben.call('POST', '/notifications/read-all');
  expect((await owner.call('POST', `/tickets/${ticketId}/messages/${id}/cancel`)).status).toBe(200);
  expect([await told(ann), await told(ben)]).toEqual([[], [['colleague', 'A teammate replied in Lamp']]]);
});

test('of many answers at once is one notification', async () => {
  const other = { subject: 'Lamp', body: 'b', assigneeId: ann.userId, requester: { email: 'd@example.net' } };
  const { id } = (await ann.call('POST', '/tickets', other)).body;
  const saved = await owner.call('POST', '/saved-replies', { name: 'Power cut', body: 'The power is back.' });
  const bulk = await owner.call('POST', '/tickets/bulk', { ids: [ticketId, id], savedReplyId: saved.body.id });
  expect(bulk.status).toBe(200);
  expect(await told(ann)).toEqual([['colleague', 'Teammates wrote in 2 tickets']]);
});
