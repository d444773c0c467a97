import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { deliveryDesk, refused } from '../../../test/worlds/delivery-desk.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, liveTicketsOf, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';

/** An answer that reached nobody leaves its ticket as it was. */

const house = useHouse();
let owner: Person;
let ticket: any;
const desk = deliveryDesk(house, () => owner);

beforeAll(async () => {
  owner = await makeOwner(house);
});
beforeEach(async () => {
  const requester = { email: 'Ann@Example.org', name: 'Ann' };
  ticket = (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It jams.', requester })).body;
});

const path = () => `/tickets/${ticket.id}`;
const read = async (id = ticket.id): Promise<any> => (await owner.call('GET', `/tickets/${id}`)).body;
const send = async (input: object = {}): Promise<any> =>
  (
    await owner.call('POST', `${path()}/messages`, {
      body: 'Off and on?',
      sendEmail: true,
      sendAfterSeconds: 60,
      ...input,
    })
  ).body;
const steer = (verb: 'cancel' | 'retry' | 'handled', { id }: { id: string }) =>
  owner.call('POST', `${path()}/messages/${id}/${verb}`);

/** What lists show of a ticket's messages, and where they show it. */
async function shown(id = ticket.id): Promise<object> {
  const {
    waitingSince,
    lastMessage,
    lastMessageAt,
    messageCount,
    attachmentCount,
    status,
    archivedAt,
    deliveryProblem,
  } = await read(id);
  return {
    waitingSince,
    lastMessage,
    lastMessageAt,
    messageCount,
    attachmentCount,
    status,
    archivedAt,
    deliveryProblem,
  };
}
const waitingIds = async (): Promise<string[]> =>
  (await owner.call('GET', '/tickets?sort=waitingSince&order=asc')).body.map(({ id }: { id: string }) => id);

describe('a cancelled answer', () => {
  test('leaves the customer waiting, where they were in the list', async () => {
    const before = await shown();
    const message = await send();
    expect(await waitingIds()).not.toContain(ticket.id);
    const { headers } = await steer('cancel', message);
    expect(await shown()).toEqual(before);
    expect(await waitingIds()).toContain(ticket.id);
    expect(headers.get('etag')).toBe(`"${(await read()).version}"`);
  });

  test.each([
    ['closed', { thenStatus: 'closed' }],
    ['pending', { thenStatus: 'pending' }],
    ['archived', { thenArchive: true }],
    ['closed and archived', { thenStatus: 'closed', thenArchive: true }],
  ])('takes back that its ticket is %s', async (_, left) => {
    const before = await shown();
    const message = await send(left);
    expect(await shown()).not.toEqual(before);
    await steer('cancel', message);
    expect(await shown()).toEqual(before);
    await steer('cancel', message);
    expect(await shown()).toEqual(before);
  });

  test('leaves a status that somebody has set since', async () => {
    const message = await send({ thenStatus: 'closed' });
    await owner.call('POST', `${path()}/status`, { toStatus: 'pending' });
    await steer('cancel', message);
    expect(await shown()).toMatchObject({ status: 'pending', waitingSince: ticket.waitingSince });
  });

  test('leaves a customer waiting since their last mail, when the ticket was closed before that', async () => {
    const from = { From: 'bob@example.org', Subject: 'Ink' };
    await ingest(house, owner, [mailOf({ headers: { ...from, 'Message-ID': '<b1@example.org>' } })]);
    ticket = (await liveTicketsOf(owner)).at(-1);
    await owner.call('POST', `${path()}/status`, { toStatus: 'closed' });
    const again = { ...from, 'Message-ID': '<b2@example.org>', 'In-Reply-To': '<b1@example.org>' };
    await ingest(house, owner, [mailOf({ headers: { ...again, Date: 'Tue, 3 Mar 2026 10:00:00 +0000' } })]);
    const before = await shown();
    await steer('cancel', await send({ thenStatus: 'closed' }));
    expect(await shown()).toEqual(before);
  });

  test('does not hide an earlier answer', async () => {
    await send({ sendAfterSeconds: 0 });
    const before = await shown();
    expect(before).toMatchObject({ waitingSince: null, messageCount: 2 });
    await steer('cancel', await send());
    expect(await shown()).toEqual(before);
  });

  test('counts again when it is sent after all', async () => {
    const message = await send();
    const sent = await shown();
    await steer('cancel', message);
    await steer('retry', message);
    expect(await shown()).toEqual(sent);
  });

  test('is never the last message again, by a note, a redaction, a merge or a later mail', async () => {
    const message = await send();
    await steer('cancel', message);
    const note = (await owner.call('POST', `${path()}/messages`, { body: 'Called her.', isInternal: true })).body;
    expect(await shown()).toMatchObject({ messageCount: 2, lastMessage: { id: note.id } });
    await owner.call('POST', `${path()}/messages/${note.id}/redact`, {});
    const other = (
      await owner.call('POST', '/tickets', { subject: 'Other', body: 'x', requester: { email: 'bo@example.org' } })
    ).body;
    await owner.call('POST', `${path()}/merge`, { targetTicketId: other.id });
    expect(await read(other.id)).toMatchObject({ messageCount: 3, waitingSince: ticket.waitingSince });
    await owner.call('POST', `/tickets/${ticket.id}/unmerge`);
    expect(await shown()).toMatchObject({ messageCount: 2, waitingSince: ticket.waitingSince });
  });

  test('of a new ticket leaves a ticket without messages', async () => {
    const body = {
      subject: 'Hello',
      body: 'Hi.',
      sendEmail: true,
      toAddresses: ['cy@example.org'],
      sendAfterSeconds: 60,
    };
    ticket = (await owner.call('POST', '/tickets', body)).body;
    const [message] = (await read()).messages;
    await steer('cancel', message);
    expect(await shown()).toMatchObject({ messageCount: 0, lastMessage: null, waitingSince: null });
  });
});

describe('who waits', () => {
  const answer = (toAddresses: string[], more: object = {}) => send({ toAddresses, ...more });

  test('a forward, a mail to somebody else and a note leave the customer waiting', async () => {
    const [first] = (await read()).messages;
    await answer(['supplier@parts.example'], { forwardOf: first.id });
    await answer(['supplier@parts.example']);
    await send({ isInternal: true });
    expect((await read()).waitingSince).toBe(ticket.waitingSince);
    expect(await waitingIds()).toContain(ticket.id);
  });

  test('thanks to the supplier who answered leave the customer waiting', async () => {
    const [first] = (await read()).messages;
    const forward = await answer(['supplier@parts.example'], { forwardOf: first.id, sendAfterSeconds: 0 });
    await house.drain();
    const { rfcMessageId } = await house.app.db.one<{ rfcMessageId: string }>(sql`
      select rfc_message_id as "rfcMessageId" from messages
      where workspace_id = ${owner.workspaceId} and id = ${forward.id}`);
    const headers = { From: 'supplier@parts.example', 'In-Reply-To': `<${rfcMessageId}>` };
    await ingest(house, owner, [mailOf({ headers })]);
    expect((await read()).messageCount).toBe(3);
    await answer(['supplier@parts.example']);
    expect((await read()).waitingSince).toBe(ticket.waitingSince);
    await answer(['ann@example.org']);
    expect((await read()).waitingSince).toBeNull();
  });

  test.each([
    ['in To, in another case', { toAddresses: ['ANN@example.ORG'] }],
    ['in Cc', { toAddresses: ['supplier@parts.example'], ccAddresses: ['ann@example.org'] }],
    ['in Bcc', { toAddresses: ['supplier@parts.example'], bccAddresses: ['ann@example.org'] }],
    ['by default', {}],
  ])('a mail with the requester %s is an answer', async (_, to) => {
    await send(to);
    expect((await read()).waitingSince).toBeNull();
  });

  test('a mail to somebody whom the customer put in Cc is an answer', async () => {
    const headers = { From: 'dora@example.org', Cc: 'boss@example.org', Subject: 'Toner' };
    await ingest(house, owner, [mailOf({ headers })]);
    ticket = (await liveTicketsOf(owner)).at(-1);
    await answer(['boss@example.org']);
    expect((await read()).waitingSince).toBeNull();
  });

  test('a closed ticket that a forward opens again waits', async () => {
    await owner.call('POST', `${path()}/status`, { toStatus: 'closed' });
    await answer(['supplier@parts.example'], { thenStatus: 'open' });
    expect((await read()).waitingSince).toBe(ticket.waitingSince);
  });
});

describe('an answer that did not arrive', () => {
  test('leaves the customer waiting, also once it is handled, until it is sent again', async () => {
    const message = await send({ sendAfterSeconds: 0, thenStatus: 'closed' });
    await desk.attempt({ ticketId: ticket.id, messageId: message.id }, refused);
    expect(await read()).toMatchObject({ status: 'open', waitingSince: ticket.waitingSince });
    await steer('handled', message);
    expect((await read()).waitingSince).toBe(ticket.waitingSince);
    await steer('retry', message);
    expect((await read()).waitingSince).toBeNull();
  });

  test.each([
    ['bounced', true],
    ['failed', true],
    ['uncertain', false],
    ['sent', false],
  ])('leaves the customer waiting: %s, %s', async (status, waits) => {
    const { ticketId } = await desk.inState(status);
    expect((await read(ticketId)).waitingSince !== null).toBe(waits);
  });
});
