import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { automation } from '../../ground/catalog/doer.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { settleDelivery } from '../../transport/deliveries/settle-delivery.ts';
import { record } from './record.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

const make = async (input: object = {}): Promise<TicketId> =>
  (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input })).body.id;
const bulk = async (body: object) => (await owner.call('POST', '/tickets/bulk', body)).body;
const keepReply = async (actions: object, body = ''): Promise<string> =>
  (await owner.call('POST', '/saved-replies', { name: `r${Math.random()}`, body, actions })).body.id;
/** Each event behind the first: what happened, and what led to it. */
const causesOf = async (ticketId: string): Promise<unknown[]> =>
  (await owner.call('GET', `/tickets/${ticketId}/events`)).body.items
    .slice(1)
    .map(({ type, cause }: any) => (cause === undefined ? [type] : [type, cause.kind, cause.id]));

test('what a person does by hand has no cause', async () => {
  const id = await make();
  await owner.call('PATCH', `/tickets/${id}`, { priority: 'high' });
  await owner.call('POST', `/tickets/${id}/messages`, { body: 'Done', thenStatus: 'closed' });
  expect(await causesOf(id)).toEqual([['ticket.priority_changed'], ['message.added'], ['ticket.status_changed']]);
});

test('a bulk change by ids is one cause, also of what its saved reply does', async () => {
  const ids = [await make(), await make()] as const;
  const savedReplyId = await keepReply({ addTags: ['seen'] });
  await bulk({ ids, savedReplyId, priority: 'high' });
  const [one, other] = [await causesOf(ids[0]), await causesOf(ids[1])];
  expect(one).toEqual([
    ['ticket.tagged', 'bulk_change', expect.any(String)],
    ['ticket.priority_changed', 'bulk_change', expect.any(String)],
  ]);
  expect(other).toEqual(one);
});

test('a change of one ticket by ids is no bulk change', async () => {
  const id = await make();
  await bulk({ ids: [id, id], addTags: ['vip'] });
  await bulk({ ids: [id], savedReplyId: await keepReply({ addTags: ['seen'] }) });
  expect(await causesOf(id)).toEqual([['ticket.tagged'], ['ticket.tagged', 'saved_reply', expect.any(String)]]);
});

test('a bulk change by query and its undo are causes that name the change', async () => {
  const id = await make({ tags: ['query'] });
  const { id: changeId } = await bulk({ query: { tags: ['query'] }, status: 'closed' });
  await house.drain();
  await owner.call('POST', `/bulk-changes/${changeId}/undo`);
  await house.drain();
  expect(await causesOf(id)).toEqual([
    ['ticket.status_changed', 'bulk_change', changeId],
    ['ticket.status_changed', 'bulk_undo', changeId],
  ]);
});

test('the actions of a saved reply have it as their cause, but not what its author chose', async () => {
  const savedReplyId = await keepReply({ addTags: ['paid'], status: 'pending' }, 'Thank you');
  const answered = await make();
  const reply = { savedReplyId, runActions: true };
  await owner.call('POST', `/tickets/${answered}/messages`, { body: 'Thank you', thenStatus: 'closed', ...reply });
  expect(await causesOf(answered)).toEqual([
    ['message.added'],
    ['ticket.status_changed'],
    ['ticket.tagged', 'saved_reply', savedReplyId],
  ]);
  const applied = await make();
  await owner.call('POST', `/tickets/${applied}/apply`, { savedReplyId });
  const created = await make(reply);
  for (const id of [applied, created])
    expect(await causesOf(id)).toEqual([
      ['ticket.tagged', 'saved_reply', savedReplyId],
      ['ticket.status_changed', 'saved_reply', savedReplyId],
    ]);
});

test('a customer’s mail is the cause of what it reopens', async () => {
  const writer = await makeOwner(house);
  await ingest(house, writer, [mailOf({ headers: { 'Message-ID': '<first@example.org>' } })]);
  const [{ id }] = await ticketsOf(writer);
  await writer.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
  await ingest(house, writer, [mailOf({ headers: { 'In-Reply-To': '<first@example.org>' } })]);
  const { items } = (await writer.call('GET', `/tickets/${id}/events`)).body;
  const [added, reopened] = items.slice(-2);
  expect([added.type, added.cause]).toEqual(['message.added', undefined]);
  expect(reopened).toMatchObject({
    ...{ type: 'ticket.status_changed', actor: { type: 'customer' }, data: { to: 'open' } },
    cause: { kind: 'mail', id: added.data.messageId },
  });
});

test('imported mail has the import as its cause', async () => {
  const importer = await makeOwner(house);
  await ingest(house, importer, [mailOf()], 'import');
  const [{ id }] = await ticketsOf(importer);
  const [{ type, cause }] = (await importer.call('GET', `/tickets/${id}/events`)).body.items;
  expect([type, cause]).toEqual(['ticket.created', { kind: 'import', id: null }]);
});

test('the end of a snooze is a cause', async () => {
  const id = await make();
  const snoozedUntil = new Date(house.clock.now().getTime() + 60_000).toISOString();
  await owner.call('PATCH', `/tickets/${id}`, { snoozedUntil });
  house.clock.advance(60_000);
  await house.drain();
  expect(await causesOf(id)).toEqual([['ticket.snoozed'], ['ticket.woken', 'snooze', null]]);
});

test('an answer that does not arrive is the cause of what reopens its ticket', async () => {
  const id = await make({ requester: { email: 'ann@example.org' } });
  const sent = { body: 'Closed', sendEmail: true, thenStatus: 'closed' };
  const messageId = (await owner.call('POST', `/tickets/${id}/messages`, sent)).body.id;
  await house.drain();
  const { workspaceId } = owner;
  await house.app.db.tx((tx) => settleDelivery(tx, { workspaceId, messageId }, 'bounce', { error: 'no such person' }));
  expect(await causesOf(id)).toEqual([
    ['message.added'],
    ['ticket.status_changed'],
    ['message.delivery_changed', 'delivery', messageId],
    ['message.delivery_changed', 'delivery', messageId],
    ['ticket.status_changed', 'delivery', messageId],
  ]);
});

test('a member who leaves is the cause of what happens to their tickets, and another person the actor', async () => {
  const id = await make({ assigneeId: agent.userId });
  await owner.call('DELETE', `/members/${agent.userId}`);
  const { items } = (await owner.call('GET', `/tickets/${id}/events`)).body;
  expect(items.at(-1)).toMatchObject({
    ...{ type: 'ticket.assigned', data: { to: null } },
    ...{ actor: { userId: owner.userId }, cause: { kind: 'departure', id: agent.userId } },
  });
});

test('an automation changes what it wants with a cause, and needs no member', async () => {
  const id = await make();
  const by = automation(owner.workspaceId, { kind: 'mailbox', id: null });
  await house.app.db.tx((tx) => record(tx, by, { ticketId: id, type: 'ticket.archived', data: {} }));
  const { items } = (await owner.call('GET', `/tickets/${id}/events`)).body;
  expect(items.at(-1)).toMatchObject({
    ...{ actor: { type: 'system', userId: null }, cause: { kind: 'mailbox', id: null } },
  });
});

test('a cause tells how many rules led to it', async () => {
  const id = await make();
  const cause = { kind: 'rule', id, depth: 2 } as const;
  const by = automation(owner.workspaceId, cause);
  await house.app.db.tx((tx) => record(tx, by, { ticketId: id, type: 'ticket.archived', data: {} }));
  const { items } = (await owner.call('GET', `/tickets/${id}/events`)).body;
  expect(items.at(-1).cause).toEqual(cause);
});
