import { beforeAll, beforeEach, expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let colleague: Person;
let stranger: Person;
let id: string;

beforeAll(async () => {
  owner = await makeOwner(house);
  colleague = await makeMember(house, owner.workspaceId, 'viewer');
  stranger = await makeOwner(house);
});
beforeEach(async () => {
  id = await receive();
});

let mails = 0;
/** @returns the ticket that the mail opens or joins */
async function receive(headers: Record<string, string> = {}, origin?: 'import'): Promise<string> {
  const own = { From: 'ann@example.org', 'Message-ID': `<unread${++mails}@example.org>`, Subject: `Mail ${mails}` };
  await ingest(house, owner, [mailOf({ headers: { ...own, ...headers } })], origin);
  const [found] = (await owner.call('GET', `/tickets?search=${encodeURIComponent(`<unread${mails}@example.org>`)}`))
    .body;
  return found.id;
}
const reply = (headers: Record<string, string> = {}) =>
  receive({ 'In-Reply-To': `<unread${mails}@example.org>`, ...headers });
const unread = async (person: Person, of = id): Promise<boolean> => (await ticketOf(person, of)).unread;
const messagesOf = async (of = id): Promise<any[]> => (await ticketOf(owner, of)).messages;
const see = async (person: Person, messageId?: string) =>
  person.call('PUT', `/tickets/${id}/seen`, { messageId: messageId ?? (await messagesOf()).at(-1).id });
const both = async (of = id) => [await unread(owner, of), await unread(colleague, of)];

test('a customer’s message is unread for every member until each has seen it', async () => {
  expect(await both()).toEqual([true, true]);
  expect(await see(owner)).toMatchObject({ status: 200, body: { ticketId: id, unread: false } });
  expect(await both()).toEqual([false, true]);
  await reply();
  expect(await both()).toEqual([true, true]);
});

test('the work of colleagues makes nothing unread, except a mention for the mentioned member', async () => {
  await Promise.all([see(owner), see(colleague)]);
  await owner.call('POST', `/tickets/${id}/messages`, { body: 'An answer' });
  await owner.call('PATCH', `/tickets/${id}`, { tags: ['x'] });
  const body = `@[C](user:${colleague.userId}) @[O](user:${owner.userId}) look`;
  expect(await both()).toEqual([false, false]);
  await owner.call('POST', `/tickets/${id}/messages`, { body, isInternal: true });
  expect(await both()).toEqual([false, true]);
});

test('having seen an older message is not having seen the newer one', async () => {
  const [first] = await messagesOf();
  await reply();
  expect((await see(owner, first.id)).body.unread).toBe(true);
  expect((await see(owner)).body.unread).toBe(false);
});

test('a member can mark a ticket as unread for themselves alone', async () => {
  await Promise.all([see(owner), see(colleague)]);
  expect(await owner.call('DELETE', `/tickets/${id}/seen`)).toMatchObject({ status: 200, body: { unread: true } });
  expect(await both()).toEqual([true, false]);
  await see(owner);
  expect(await both()).toEqual([false, false]);
});

test('imports and machines make no read ticket unread, but a new ticket is unread', async () => {
  expect(await both(await receive({}, 'import'))).toEqual([false, false]);
  const order = await receive({ 'Auto-Submitted': 'auto-generated' });
  expect(await both(order)).toEqual([true, true]);
  id = order;
  await see(owner);
  await reply({ 'Auto-Submitted': 'auto-replied' });
  expect(await unread(owner)).toBe(false);
});

test('a ticket made by hand is read for its author, one made by a program is unread', async () => {
  const ticket = { subject: 's', body: 'b', requester: { email: 'bob@example.org' } };
  expect(await both((await owner.call('POST', '/tickets', ticket)).body.id)).toEqual([false, true]);
  const { secret: token } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'agent' })).body;
  const made = await fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': owner.workspaceId,
      'content-type': 'application/json',
    },
    body: JSON.stringify(ticket),
  });
  expect(await both(((await made.json()) as { id: string }).id)).toEqual([true, true]);
});

test.each(['status', 'archive'])('a ticket finished by %s is unread for nobody', async (verb) => {
  await owner.call('POST', `/tickets/${id}/${verb}`, verb === 'status' ? { toStatus: 'closed' } : undefined);
  expect(await both()).toEqual([false, false]);
});

test('merged, split and unmerged again, a ticket is unread where its unseen message is', async () => {
  const other = await receive();
  const source = id;
  id = other;
  await see(owner);
  await owner.call('POST', `/tickets/${source}/merge`, { targetTicketId: other });
  expect(await both(other)).toEqual([true, true]);
  expect(await unread(owner, source)).toBe(false);
  await owner.call('POST', `/tickets/${source}/unmerge`);
  expect([await unread(owner, source), await unread(owner, other)]).toEqual([true, false]);
});

test('only a member’s own streams are told', async () => {
  const [mine, theirs] = [await readEvents(house, owner), await readEvents(house, colleague)];
  await see(owner);
  await owner.call('DELETE', `/tickets/${id}/seen`);
  const isOf = ({ event }: { event: string }) => event === 'seen';
  expect((await mine.until((events) => events.filter(isOf).length === 2)).filter(isOf).map(({ data }) => data)).toEqual(
    [
      { ticketId: id, unread: false },
      { ticketId: id, unread: true },
    ],
  );
  expect(theirs.events.filter(isOf)).toEqual([]);
  await Promise.all([mine.close(), theirs.close()]);
});

test('missing tickets and messages are 404', async () => {
  const [message] = await messagesOf();
  const strange = await stranger.call('PUT', `/tickets/${id}/seen`, { messageId: message.id });
  expect([strange.status, strange.body.key]).toEqual([404, 'ticket.not_found']);
  expect((await see(owner, newId())).body.key).toBe('message.not_found');
  expect((await stranger.call('DELETE', `/tickets/${id}/seen`)).body.key).toBe('ticket.not_found');
});

test('a former member has no unread tickets', async () => {
  const leaving = await makeMember(house, owner.workspaceId, 'agent');
  await reply();
  await owner.call('DELETE', `/members/${leaving.userId}`);
  await house.drain();
  const left = await house.app.db.rows(sql`
    select from unread_tickets where workspace_id = ${owner.workspaceId} and user_id = ${leaving.userId}`);
  expect(left).toEqual([]);
});
