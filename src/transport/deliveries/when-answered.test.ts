import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

/** Whom an answer gives its ticket, and in which status it leaves it. */

const house = useHouse();
let owner: Person;
let ann: Person;
let ben: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  [ann, ben] = [await makeMember(house, workspaceId, 'agent', 'Ann'), await makeMember(house, workspaceId, 'agent')];
});

const taken = { assign: 'unassigned', status: 'pending' };
const rule = (whenAnswered: object) => owner.call('PATCH', '', { whenAnswered });
const requester = { email: 'c@example.org' };
const open = async (fields: object = {}): Promise<string> =>
  (await owner.call('POST', '/tickets', { subject: 'Lamp', body: 'It is dark.', requester, ...fields })).body.id;
const answer = async (by: Person, id: string, fields: object = {}): Promise<any> => {
  const sent = await by.call('POST', `/tickets/${id}/messages`, {
    body: 'Is it plugged in?',
    sendEmail: true,
    sendAfterSeconds: 60,
    ...fields,
  });
  expect(sent).toMatchObject({ status: 201 });
  return sent.body;
};
const cancel = (by: Person, id: string, message: { id: string }) =>
  by.call('POST', `/tickets/${id}/messages/${message.id}/cancel`);
const stateOf = async (id: string): Promise<object> => {
  const { assigneeId, status } = await ticketOf(owner, id);
  return { assigneeId, status };
};
const followersOf = async (id: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets/${id}/followers`)).body.map(({ userId }: { userId: string }) => userId);
const told = async (person: Person, id: string): Promise<string[]> =>
  (await person.call('GET', '/notifications')).body.items
    .filter(({ referenceId }: { referenceId: string }) => referenceId === id)
    .map(({ type }: { type: string }) => type);

test('a workspace that has chosen nothing keeps assignee and status, and who answers hears of the reply', async () => {
  expect((await owner.call('GET', '')).body.whenAnswered).toBeNull();
  const messageId = `<${newId()}@example.org>`;
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': messageId, Subject: messageId } })]);
  const [{ id }] = (await owner.call('GET', '/tickets')).body;
  await answer(ann, id, { sendAfterSeconds: 0 });
  expect(await stateOf(id)).toEqual({ assigneeId: null, status: 'open' });
  await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': messageId } })]);
  expect([await told(ann, id), await told(ben, id), await told(owner, id)]).toEqual([['reply'], [], []]);
});

test.each([
  ['unassigned', 'pending', 'nobody', 'ann', 'pending'],
  ['unassigned', 'pending', 'ben', 'ben', 'pending'],
  ['always', 'closed', 'ben', 'ann', 'closed'],
  ['never', 'pending', 'nobody', 'nobody', 'pending'],
  ['always', 'keep', 'nobody', 'ann', 'open'],
])('%s, %s: a ticket of %s is then of %s, and %s', async (assign, status, before, after, left) => {
  const ids: Record<string, string | null> = { nobody: null, ann: ann.userId, ben: ben.userId };
  expect(await rule({ assign, status })).toMatchObject({ status: 200, body: { whenAnswered: { assign, status } } });
  const id = await open({ assigneeId: ids[before] });
  const message = await answer(ann, id);
  expect(await stateOf(id)).toEqual({ assigneeId: ids[after], status: left });
  await cancel(ann, id, message);
  expect(await stateOf(id)).toEqual({ assigneeId: ids[before], status: 'open' });
  expect(await followersOf(id)).toEqual([]);
  expect(await told(ben, id)).toEqual(before === 'ben' ? ['assignment'] : []);
});

test('the facts name who took the ticket, and who gave it back', async () => {
  await rule(taken);
  const id = await open();
  const message = await answer(ann, id);
  await cancel(owner, id, message);
  const { items } = (await owner.call('GET', `/tickets/${id}/events?limit=100`)).body;
  const of = (type: string) =>
    items
      .filter((event: { type: string }) => event.type === type)
      .map(({ actor, data }: any) => ({ by: actor.userId, from: data.from, to: data.to }));
  expect(of('ticket.assigned')).toEqual([
    { by: ann.userId, from: null, to: ann.userId },
    { by: owner.userId, from: ann.userId, to: null },
  ]);
  expect(of('ticket.status_changed')).toEqual([
    { by: ann.userId, from: 'open', to: 'pending' },
    { by: owner.userId, from: 'pending', to: 'open' },
  ]);
});

test('what was changed since, and what another answer still stands for, stays', async () => {
  await rule(taken);
  const id = await open();
  const first = await answer(ann, id);
  await owner.call('PATCH', `/tickets/${id}`, { assigneeId: ben.userId });
  await answer(ann, id);
  await cancel(ann, id, first);
  expect(await stateOf(id)).toEqual({ assigneeId: ben.userId, status: 'open' });
  expect(await followersOf(id)).toEqual([ann.userId]);
});

test('who answers twice keeps the ticket when the first answer is cancelled', async () => {
  await rule(taken);
  const id = await open();
  const first = await answer(ann, id);
  const second = await answer(ann, id);
  await cancel(ann, id, first);
  expect(await stateOf(id)).toMatchObject({ assigneeId: ann.userId });
  await cancel(ann, id, second);
  expect(await followersOf(id)).toEqual([ann.userId]);
});

test('a ticket that an answer closed is unread again for whom it was, once the answer is cancelled', async () => {
  await rule({ assign: 'never', status: 'closed' });
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': `<${newId()}@example.org>` } })]);
  const [{ id }] = (await owner.call('GET', '/tickets')).body;
  const isUnread = async () =>
    (await ben.call('GET', '/tickets?unread=true')).body.map((ticket: { id: string }) => ticket.id);
  expect(await isUnread()).toContain(id);
  const message = await answer(ann, id);
  expect(await isUnread()).not.toContain(id);
  await cancel(ann, id, message);
  expect(await isUnread()).toContain(id);
});

test('somebody who has left gets no ticket back', async () => {
  await rule({ assign: 'always', status: 'keep' });
  const id = await open({ assigneeId: ben.userId });
  const message = await answer(ann, id);
  await owner.call('DELETE', `/members/${ben.userId}`);
  expect(await cancel(ann, id, message)).toMatchObject({ status: 200 });
  expect(await stateOf(id)).toEqual({ assigneeId: null, status: 'open' });
});

test('a note, a forward and a mail to somebody else change nothing', async () => {
  await rule(taken);
  const id = await open();
  const [{ id: forwardOf }] = (await ticketOf(owner, id)).messages;
  await answer(ann, id, { isInternal: true });
  await answer(ann, id, { toAddresses: ['supplier@parts.example'] });
  await answer(ann, id, { toAddresses: ['supplier@parts.example'], forwardOf });
  expect(await stateOf(id)).toEqual({ assigneeId: null, status: 'open' });
  expect(await followersOf(id)).toEqual([]);
});

test('the status that the author wants wins, and an answer reopens nothing', async () => {
  await rule(taken);
  const id = await open();
  await answer(ann, id, { thenStatus: 'open' });
  expect(await stateOf(id)).toEqual({ assigneeId: ann.userId, status: 'open' });
  await answer(ann, id, { thenStatus: 'closed' });
  await answer(ben, id);
  expect(await stateOf(id)).toEqual({ assigneeId: ann.userId, status: 'closed' });
  const actions = { assignee: 'none', status: 'open' };
  const { body: reply } = await ann.call('POST', '/saved-replies', { name: 'Back', body: 'Hello', actions });
  const other = await open();
  await answer(ann, other, { savedReplyId: reply.id, runActions: true });
  expect(await stateOf(other)).toEqual({ assigneeId: null, status: 'open' });
  // Nothing tells of a change that never was.
  const { items } = (await owner.call('GET', `/tickets/${other}/events?limit=100`)).body;
  const types = items.map(({ type }: { type: string }) => type);
  expect(types).not.toContain('ticket.assigned');
  expect(types).not.toContain('ticket.status_changed');
});

test('an answer of a program or to many tickets is nobody’s own', async () => {
  await rule(taken);
  const [one, two] = [await open(), await open()];
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'Robot', role: 'agent' });
  const headers = { authorization: `Bearer ${key.secret}` };
  const body = { body: 'Hello', sendEmail: true };
  expect(await owner.call('POST', `/tickets/${one}/messages`, body, headers)).toMatchObject({ status: 201 });
  const { body: reply } = await ann.call('POST', '/saved-replies', { name: 'Known', body: 'We know.' });
  expect(await ann.call('POST', '/tickets/bulk', { ids: [two], savedReplyId: reply.id })).toMatchObject({
    status: 200,
  });
  for (const id of [one, two]) {
    expect(await stateOf(id)).toEqual({ assigneeId: null, status: 'pending' });
    expect(await followersOf(id)).toEqual([]);
  }
});

test('who writes to a customer first follows the ticket', async () => {
  const id = await open({ sendEmail: true });
  expect([await followersOf(id), await followersOf(await open())]).toEqual([[owner.userId], []]);
});

test('only owners and admins choose, and only what there is', async () => {
  expect(await ann.call('PATCH', '', { whenAnswered: taken })).toMatchObject({ status: 403 });
  for (const whenAnswered of [{ assign: 'me', status: 'keep' }, { assign: 'never' }, { status: 'open' }, 'never', []])
    expect(await rule(whenAnswered as object)).toMatchObject({ status: 400, body: { key: 'request.invalid' } });
  await rule(taken);
  await rule(taken);
  expect((await owner.call('GET', '')).body.whenAnswered).toEqual(taken);
  const { items } = (await owner.call('GET', '/audit')).body;
  expect(items.filter(({ type }: { type: string }) => type === 'workspace.changed')).toMatchObject([
    { data: { whenAnswered: { from: null, to: taken } } },
  ]);
});
