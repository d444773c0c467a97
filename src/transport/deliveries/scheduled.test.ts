import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { uploadApart } from '../../../test/harness/uploads.ts';
import { deliveryDesk } from '../../../test/worlds/delivery-desk.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { scrubMessages } from '../../helpdesk/erasures/scrub-messages.ts';
import { requeueLostDeliveries } from './requeue-lost.ts';
import { settleDelivery } from './settle-delivery.ts';

/** An answer that leaves later, and what may happen before. */

const house = useHouse();
const hourMs = 3_600_000;
let owner: Person;
let ann: Person;
let ticket: any;
let mailId: string;
const desk = deliveryDesk(house, () => owner);

beforeAll(async () => {
  owner = await makeOwner(house);
  ann = await makeMember(house, owner.workspaceId, 'agent');
});
let mails = 0;
beforeEach(async () => {
  mailId = `s${++mails}@example.org`;
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': `<${mailId}>`, Subject: `Order ${mails}` } })]);
  ticket = (await ticketsOf(owner)).at(-1);
});

const later = (hours = 12) => new Date(house.clock.now().getTime() + hours * hourMs).toISOString();
const post = (input: object = {}, by = ann) =>
  by.call('POST', `/tickets/${ticket.id}/messages`, {
    body: 'Off and on?',
    sendEmail: true,
    sendAt: later(),
    ...input,
  });
const schedule = async (input: object = {}, by = ann): Promise<any> => (await post(input, by)).body;
const named = ({ id }: { id: string }): any => ({ ticketId: ticket.id, messageId: id });
/** Its time comes. */
const comeDue = async (message: { id: string }) => {
  await putForward(message);
  await desk.attempt(named(message), { ok: true });
};
const putForward = ({ id }: { id: string }) =>
  house.app.db.tx((tx) =>
    tx.run(sql`
      update messages
      set delivery_next_attempt_at = delivery_next_attempt_at - interval '13 hours',
        created_at = created_at - interval '13 hours', arrived_at = arrived_at - interval '13 hours'
      where workspace_id = ${owner.workspaceId} and id = ${id}`),
  );
const steer = (verb: string, { id }: { id: string }, by = ann, body?: object) =>
  by.call('POST', `/tickets/${ticket.id}/messages/${id}/${verb}`, body);
const read = () => ticketOf(owner, ticket.id);
const deliveryOf = (message: { id: string }) => desk.deliveryOf(named(message));
const draftsOf = async (person: Person) =>
  (await person.call('GET', `/drafts?ticketId=${ticket.id}`)).body.items as any[];
const customerWrites = (headers: Record<string, string> = {}) =>
  ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': `<${mailId}>`, ...headers }, body: 'Found it.' })]);
const toldOf = async (person: Person): Promise<string[]> =>
  (await person.call('GET', '/notifications')).body.items
    .filter(({ referenceId }: any) => referenceId === ticket.id)
    .map(({ title }: any) => title);
const listed = async (query = '') => (await owner.call('GET', `/messages/scheduled${query}`)).body;

async function shown(): Promise<object> {
  const { waitingSince, lastMessage, lastMessageAt, messageCount, status, assigneeId } = await read();
  return { waitingSince, lastMessage, lastMessageAt, messageCount, status, assigneeId };
}

describe('until its time', () => {
  test('it has answered nobody, and its ticket shows it', async () => {
    const before = await shown();
    const message = await schedule();
    expect(message.delivery).toMatchObject({ status: 'scheduled', unlessReplied: true });
    expect(await shown()).toEqual(before);
    await desk.attempt(named(message), { ok: true });
    expect(await deliveryOf(message)).toMatchObject({ status: 'scheduled', attempts: 0 });
    expect((await owner.call('GET', '/tickets?delivery=scheduled')).body.map(({ id }: any) => id)).toContain(ticket.id);
  });

  test('its author’s choices for the ticket count at once', async () => {
    const { waitingSince } = ticket;
    await schedule({ thenStatus: 'pending' });
    expect(await shown()).toMatchObject({ status: 'pending', waitingSince });
  });

  test('nobody is told that a colleague has answered', async () => {
    await owner.call('PATCH', `/tickets/${ticket.id}`, { assigneeId: owner.userId });
    const types = { colleague: { inApp: true } };
    await owner.call('PATCH', '/v1/me/notification-preferences', { types });
    const message = await schedule();
    expect(await toldOf(owner)).toEqual([]);
    await comeDue(message);
    expect(await toldOf(owner)).toEqual([expect.stringContaining('A teammate replied')]);
  });

  test('everybody finds it in the list, those first that leave first', async () => {
    const person = await makeOwner(house);
    const requester = { email: 'c@example.org' };
    const { body } = await person.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
    const add = async (sendAt: string) =>
      (await person.call('POST', `/tickets/${body.id}/messages`, { body: 'x', sendEmail: true, sendAt })).body.id;
    const [second, first, third] = [await add(later(5)), await add(later(2)), await add(later(9))];
    const list = async (query = '') => (await person.call('GET', `/messages/scheduled${query}`)).body;
    const { items } = await list();
    expect(items.map(({ id }: any) => id)).toEqual([first, second, third]);
    expect(items[0]).toMatchObject({ ticketId: body.id, subject: 'Printer', to: ['c@example.org'], snippet: 'x' });
    const page = await list('?limit=2');
    expect((await list(`?limit=2&cursor=${page.nextCursor}`)).items).toEqual(items.slice(2));
    expect((await person.call('GET', '/counts')).body.lists.scheduled.count).toBe(3);
    await person.call('DELETE', `/tickets/${body.id}`);
    expect((await list()).items).toEqual([]);
    expect((await person.call('GET', '/messages/scheduled?cursor=x')).status).toBe(400);
  });

  test('its time changes', async () => {
    const message = await schedule();
    const sendAt = later(48);
    const { status, body } = await steer('reschedule', message, owner, { sendAt });
    expect([status, body.delivery.nextAttemptAt]).toEqual([200, sendAt]);
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'scheduled' });
    expect((await steer('reschedule', message, owner, { sendAt: later(-1) })).status).toBe(400);
    await steer('cancel', message);
    expect((await steer('reschedule', message, owner, { sendAt: later() })).body.key).toBe('message.not_scheduled');
  });
});

test('the mail of a new ticket waits too', async () => {
  const body = { subject: 'Hello', body: 'Hi.', sendEmail: true, toAddresses: ['cy@example.org'], sendAt: later() };
  ticket = (await ann.call('POST', '/tickets', body)).body;
  const [message] = (await read()).messages;
  expect(await shown()).toMatchObject({ messageCount: 0, lastMessage: null });
  await comeDue(message);
  expect(await shown()).toMatchObject({ messageCount: 1, lastMessage: { id: message.id } });
});

test.each([
  ['in the past', { sendAt: '2020-01-01T00:00:00Z' }, 'not_within_days'],
  ['in half a year', { sendAt: () => later(24 * 180) }, 'not_within_days'],
  ['beside seconds', { sendAfterSeconds: 0 }, 'not_with_seconds'],
  ['without a mail', { sendEmail: false }, 'not_mailed'],
  ['for a note', { isInternal: true }, 'not_mailed'],
])('a time %s is refused', async (_, input: any, key) => {
  const sendAt = typeof input.sendAt === 'function' ? input.sendAt() : (input.sendAt ?? later());
  const { status, body } = await post({ ...input, sendAt });
  expect([status, body.params?.issues?.[0]]).toMatchObject([400, { path: 'body.sendAt', key }]);
});

test('a workspace schedules a thousand', async () => {
  const person = await makeOwner(house);
  const requester = { email: 'c@example.org' };
  const { body } = await person.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
  const message = { body: 'x', sendEmail: true, sendAt: later() };
  expect((await person.call('POST', `/tickets/${body.id}/messages`, message)).status).toBe(201);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into messages (workspace_id, id, ticket_id, direction, author_type, body, delivery_status, created_at)
      select workspace_id, gen_random_uuid(), ticket_id, 'outbound', 'agent', 'x', 'scheduled', created_at
      from messages, generate_series(1, 999)
      where workspace_id = ${person.workspaceId} and delivery_status = 'scheduled'`),
  );
  expect(await person.call('POST', `/tickets/${body.id}/messages`, message)).toMatchObject({
    status: 409,
    body: { key: 'message.too_many_scheduled' },
  });
});

describe('at its time', () => {
  test('it leaves once, and is the newest of its ticket', async () => {
    const message = await schedule();
    await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Called her.', isInternal: true });
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(await shown()).toMatchObject({ waitingSince: null, lastMessage: { id: message.id }, messageCount: 3 });
    expect((await read()).messages.at(-1)).toMatchObject({ id: message.id });
    await desk.attempt(named(message), { ok: true });
    expect(await deliveryOf(message)).toMatchObject({ attempts: 1 });
    const { body } = await owner.call('GET', '/tickets?search=Off%20on&sort=lastMessageAt');
    expect(body.map(({ id }: any) => id)).toContain(ticket.id);
  });

  test('or before, if somebody sends it now', async () => {
    const message = await schedule();
    const { body } = await steer('retry', message, owner);
    expect(body.delivery).toMatchObject({ status: 'queued', nextAttemptAt: null });
    expect(await shown()).toMatchObject({ waitingSince: null, lastMessage: { id: message.id } });
    await house.drain();
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test('a colleague’s answer that has not seen it is held back', async () => {
    const message = await schedule();
    const lastSeenMessageId = message.id;
    await comeDue(message);
    const answer = { body: 'Hello', sendEmail: true };
    const [{ id }] = ticket.messages ?? (await read()).messages;
    const refused = await owner.call('POST', `/tickets/${ticket.id}/messages`, { ...answer, lastSeenMessageId: id });
    expect(refused.body).toMatchObject({ key: 'ticket.newer_message', params: { messageId: message.id } });
    const seen = await owner.call('POST', `/tickets/${ticket.id}/messages`, { ...answer, lastSeenMessageId });
    expect(seen.status).toBe(201);
  });

  test('it leaves though its job is lost', async () => {
    const message = await schedule();
    await house.app.db.tx((tx) =>
      tx.run(sql`delete from graphile_worker._private_jobs where key = ${`mail.deliver:${message.id}`}`),
    );
    const requeue = () => house.app.db.tx((tx) => requeueLostDeliveries(tx, 100));
    await requeue();
    await putForward(message);
    expect(await requeue()).toBeGreaterThan(0);
    await house.drain();
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test('by the clock of another process alone, it waits on', async () => {
    const message = await schedule();
    const key = `mail.deliver:${message.id}`;
    await house.app.db.tx((tx) => tx.run(sql`delete from graphile_worker._private_jobs where key = ${key}`));
    await desk.attempt(named(message), { ok: true });
    const jobs = await house.app.db.rows(sql`
      select run_at > now() + interval '11 hours' as "isLater" from graphile_worker._private_jobs where key = ${key}`);
    expect(jobs).toEqual([{ isLater: true }]);
  });

  test('nobody sends it from spam', async () => {
    const message = await schedule();
    await owner.call('POST', `/tickets/${ticket.id}/spam`);
    expect((await steer('retry', message)).body.key).toBe('ticket.spam');
  });

  test('it leaves though its author has left', async () => {
    const ben = await makeMember(house, owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await owner.call('DELETE', `/members/${ben.userId}`);
    expect((await listed()).items.map(({ id }: any) => id)).toContain(message.id);
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test.each([
    ['the trash', () => owner.call('DELETE', `/tickets/${ticket.id}`)],
    ['spam', () => owner.call('POST', `/tickets/${ticket.id}/spam`)],
  ])('it does not leave from %s: its text is a draft again', async (_, move) => {
    const message = await schedule();
    await move();
    await comeDue(message);
    expect(await desk.countSent(named(message))).toBe(0);
    const stored = await house.app.db.rows(sql`
      select d.body, n.title
      from drafts d
      join notifications n on n.workspace_id = d.workspace_id and n.reference_id = d.ticket_id
      where d.workspace_id = ${owner.workspaceId} and d.ticket_id = ${ticket.id} and n.user_id = ${ann.userId}`);
    const title = expect.stringMatching(/^Your scheduled reply in .* was not sent$/);
    expect(stored).toEqual([{ body: 'Off and on?', title }]);
  });
});

test('in a copy of the service it may have left already, so a person decides, and it counts again', async () => {
  const message = await schedule({ thenStatus: 'closed' });
  const delivery = { workspaceId: owner.workspaceId, messageId: message.id };
  await house.app.db.tx((tx) => settleDelivery(tx, delivery, 'doubt', { error: 'restored' }));
  await comeDue(message);
  expect(await deliveryOf(message)).toMatchObject({ status: 'uncertain', error: 'restored', attempts: 0 });
  expect(await shown()).toMatchObject({ status: 'open', messageCount: 2, lastMessage: { id: message.id } });
});

describe('a customer’s mail before its time', () => {
  test('cancels it, and its author has the text and the files again', async () => {
    const { id: fileId } = (await uploadApart(house, ann, { name: 'plan.txt', content: 'plan' })).body;
    const message = await schedule({
      ...{ bodyHtml: '<p>Off and <b>on</b>?</p>', quote: 'last', ccAddresses: ['boss@example.org'] },
      ...{ attachmentIds: [fileId], thenStatus: 'closed' },
    });
    expect(message.quotedHtml).not.toBeNull();
    await customerWrites();
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
    expect(await shown()).toMatchObject({ status: 'open', messageCount: 2 });
    const [draft, ...others] = await draftsOf(ann);
    expect(others).toEqual([]);
    expect(draft).toMatchObject({
      ...{ kind: 'answer', body: 'Off and on?', bodyHtml: '<p>Off and <b>on</b>?</p>', quote: 'last' },
      ...{ to: message.to, cc: ['boss@example.org'], attachments: [{ fileName: 'plan.txt' }] },
    });
    expect(draft.attachments[0].id).not.toBe(fileId);
    await comeDue(message);
    expect(await desk.countSent(named(message))).toBe(0);
    const again = { body: draft.body, sendEmail: true, attachmentIds: [draft.attachments[0].id], draftId: draft.id };
    expect((await ann.call('POST', `/tickets/${ticket.id}/messages`, again)).status).toBe(201);
  });

  test('tells its author, and says in the history what led to it', async () => {
    const message = await schedule();
    await customerWrites();
    expect(await toldOf(ann)).toContainEqual(expect.stringContaining('because the customer wrote first'));
    const events = await desk.eventsOf(named(message));
    const reply = (await read()).messages.at(-1);
    expect(events.findLast(({ type }) => type === 'message.delivery_changed')).toMatchObject({
      data: { messageId: message.id, status: 'cancelled' },
      cause: { kind: 'mail', id: reply.id },
    });
  });

  test('loses neither its text nor what its author writes meanwhile', async () => {
    await schedule();
    const begun = { body: 'One more thing', version: 0 };
    await ann.call('PUT', `/tickets/${ticket.id}/drafts/answer`, begun);
    await customerWrites();
    expect(await draftsOf(ann)).toMatchObject([{ body: 'Off and on?\n\nOne more thing', version: 2 }]);
    const stale = await ann.call('PUT', `/tickets/${ticket.id}/drafts/answer`, { body: 'One more', version: 1 });
    expect(stale.body).toMatchObject({ key: 'draft.newer' });
  });

  test('cancels each of two', async () => {
    await schedule({ body: 'First' });
    await schedule({ body: 'Second', sendAt: later(24) });
    await customerWrites();
    expect(await draftsOf(ann)).toMatchObject([{ body: 'First\n\nSecond' }]);
  });

  test('leaves it alone if its author wants that, or if a machine wrote', async () => {
    const firm = await schedule({ unlessReplied: false });
    const shy = await schedule();
    await customerWrites({ 'Auto-Submitted': 'auto-replied' });
    expect(await deliveryOf(shy)).toMatchObject({ status: 'scheduled' });
    await customerWrites();
    expect(await deliveryOf(shy)).toMatchObject({ status: 'cancelled' });
    expect(await deliveryOf(firm)).toMatchObject({ status: 'scheduled', unlessReplied: false });
    await comeDue(firm);
    expect(await deliveryOf(firm)).toMatchObject({ status: 'sent' });
  });

  test('finds it in the ticket into which its ticket was merged', async () => {
    const message = await schedule();
    const { body: other } = await owner.call('POST', '/tickets', { subject: 'Other', body: 'x' });
    await owner.call('POST', `/tickets/${ticket.id}/merge`, { targetTicketId: other.id });
    await customerWrites();
    ticket = other;
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
  });

  test('cancels that of a member who has left, whose text stays in the message', async () => {
    const ben = await makeMember(house, owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await owner.call('DELETE', `/members/${ben.userId}`);
    await customerWrites();
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
  });
});

describe('cancelled by hand', () => {
  test('its text is a draft again, and its ticket as before', async () => {
    const before = await shown();
    const message = await schedule({ thenStatus: 'closed' });
    await steer('cancel', message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'cancelled' });
    expect(await shown()).toEqual(before);
    expect(await draftsOf(ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
    expect(await toldOf(ann)).toEqual([]);
  });

  test('a forward is one again, without a text', async () => {
    const [{ id: forwardOf }] = (await read()).messages;
    const sent = { body: undefined, forwardOf, toAddresses: ['supplier@parts.example'] };
    await steer('cancel', await schedule(sent));
    expect(await draftsOf(ann)).toMatchObject([{ body: '', bodyHtml: null, forwardOf, to: sent.toAddresses }]);
  });

  test('by a colleague, its author is told and has the text', async () => {
    const message = await schedule();
    await steer('cancel', message, owner);
    expect([await draftsOf(owner), await draftsOf(ann)]).toMatchObject([[], [{ body: 'Off and on?' }]]);
    expect(await toldOf(ann)).toEqual([expect.stringContaining('was not sent')]);
  });

  test('of a member who has left, whoever cancels it has the text', async () => {
    const ben = await makeMember(house, owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await owner.call('DELETE', `/members/${ben.userId}`);
    await steer('cancel', message, owner);
    expect(await draftsOf(owner)).toMatchObject([{ body: 'Off and on?' }]);
  });

  test('it returns whole if nothing was found to quote', async () => {
    await steer('cancel', await schedule({ quote: 'last', toAddresses: ['new@parts.example'] }));
    expect(await draftsOf(ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
  });

  test.each([
    ['a quote', { quote: 'last' }],
    ['a forward', { toAddresses: ['supplier@parts.example'] }],
  ])('it returns whole if an erasure took %s away', async (kind, input) => {
    const [{ id: forwardOf }] = (await read()).messages;
    const message = await schedule(kind === 'a forward' ? { ...input, forwardOf } : input);
    const person = { contactIds: [], addresses: ['gone@example.org'], names: [] };
    const erased = { person, messageIds: [message.id], isOfConversation: true };
    await house.app.db.tx((tx) => scrubMessages(tx, owner.workspaceId as any, erased));
    await steer('cancel', message);
    expect(await draftsOf(ann)).toMatchObject([{ body: 'Off and on?', quote: 'none' }]);
  });

  test('a draft begun since keeps its recipients and its quote', async () => {
    const message = await schedule({ quote: 'last', ccAddresses: ['boss@example.org'] });
    const begun = { body: 'For her alone', to: ['cy@example.org'], quote: 'none', version: 0 };
    await ann.call('PUT', `/tickets/${ticket.id}/drafts/answer`, begun);
    await steer('cancel', message);
    expect(await draftsOf(ann)).toMatchObject([
      { body: 'Off and on?\n\nFor her alone', to: ['cy@example.org'], cc: [], quote: 'none' },
    ]);
  });

  test('a draft begun since can be saved, however long both are', async () => {
    const message = await schedule({ body: 'x'.repeat(150_000) });
    const body = 'y'.repeat(100_000);
    await ann.call('PUT', `/tickets/${ticket.id}/drafts/answer`, { body, version: 0 });
    await steer('cancel', message);
    expect(await draftsOf(ann)).toMatchObject([{ body }]);
  });

  test('it cannot also be sent again', async () => {
    const message = await schedule();
    const { body } = await steer('cancel', message);
    expect(body.delivery).toMatchObject({ status: 'cancelled', isDraftAgain: true });
    expect((await steer('retry', message)).body.key).toBe('message.already_sent');
  });

  test('once it was about to leave, it can', async () => {
    const message = await schedule();
    await steer('retry', message);
    await steer('cancel', message);
    expect((await steer('retry', message)).status).toBe(200);
  });

  test('its author does not see the ticket any more: whoever cancels it has the text', async () => {
    const message = await schedule();
    const { body: team } = await owner.call('POST', '/teams', {
      name: `T${mails}`,
      visibility: 'members',
      memberIds: [],
    });
    await owner.call('PATCH', `/tickets/${ticket.id}`, { teamId: team.id });
    await owner.call('DELETE', `/tickets/${ticket.id}/followers/${ann.userId}`);
    await steer('cancel', message, owner);
    expect(await draftsOf(owner)).toMatchObject([{ body: 'Off and on?' }]);
  });

  test('an earlier assignee outside its team does not get the ticket back', async () => {
    await owner.call('PATCH', `/tickets/${ticket.id}`, { assigneeId: ann.userId });
    await owner.call('PATCH', '', { whenAnswered: { assign: 'always', status: 'keep' } });
    const message = await schedule({}, owner);
    await owner.call('PATCH', '', { whenAnswered: null });
    expect(await shown()).toMatchObject({ assigneeId: owner.userId });
    const { body: team } = await owner.call('POST', '/teams', {
      name: `U${mails}`,
      visibility: 'members',
      memberIds: [],
    });
    await owner.call('PATCH', `/tickets/${ticket.id}`, { teamId: team.id });
    await owner.call('DELETE', `/tickets/${ticket.id}/followers/${ann.userId}`);
    await steer('cancel', message, owner);
    expect(await shown()).toMatchObject({ assigneeId: null });
  });

  test('its content cannot be removed before', async () => {
    const message = await schedule();
    expect((await steer('redact', message, owner, {})).body.key).toBe('message.not_sent_yet');
  });
});
