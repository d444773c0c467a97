import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@example.com>' });
let owner: Person;
let ours: string;

beforeAll(async () => {
  owner = await makeOwner(house);
  const { local } = await house.app.db.one<{ local: string }>(
    sql`select local_part as local from inbound_addresses where workspace_id = ${owner.workspaceId}`,
  );
  ours = `${local}@example.com`;
});

/** Makes a ticket from a mail of Ann's. */
async function fromMail(headers: Record<string, string> = {}): Promise<any> {
  await ingest(house, owner, [mailOf({ headers: { Subject: `Printer ${newId()}`, ...headers } })]);
  const [newest] = (await owner.call('GET', '/tickets?sort=updatedAt&archived=any')).body;
  return ticketOf(owner, newest.id);
}

const answer = (ticket: { id: string }, input: object = {}) =>
  owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Try again.', sendEmail: true, ...input });

const eventsOf = async (ticket: { id: string }): Promise<[string, any, string][]> =>
  (await owner.call('GET', `/tickets/${ticket.id}/events`)).body.items.map((event: any) => [
    event.type,
    event.data,
    event.actor.type,
  ]);

describe('an answer to what has happened since', () => {
  const replyTo = ({ messages }: any) =>
    house.app.db.one<{ id: string }>(sql`
      select rfc_message_id as id from messages where workspace_id = ${owner.workspaceId} and id = ${messages[0].id}`);

  async function replied(ticket: any, headers: Record<string, string> = {}): Promise<void> {
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': `<${(await replyTo(ticket)).id}>`, ...headers } })]);
  }

  test('is refused, with nothing written, if the customer has written since the message last seen', async () => {
    const ticket = await fromMail();
    await replied(ticket);
    const stale = await answer(ticket, { lastSeenMessageId: ticket.messages[0].id });
    expect([stale.status, stale.body.key]).toEqual([409, 'ticket.newer_message']);
    const now = await ticketOf(owner, ticket.id);
    expect(now.messages).toHaveLength(2);
    expect(stale.body.params).toEqual({ messageId: now.messages.at(-1).id });
    expect((await answer(ticket, { lastSeenMessageId: now.messages.at(-1).id })).status).toBe(201);
  });

  test('goes by when a message arrived, not by the date in the mail', async () => {
    const ticket = await fromMail();
    await replied(ticket, { Date: 'Mon, 2 Feb 2026 10:00:00 +0000' });
    expect((await answer(ticket, { lastSeenMessageId: ticket.messages[0].id })).status).toBe(409);
  });

  test('is not refused for what the writer and machines wrote since, and notes never are', async () => {
    const ticket = await fromMail();
    const lastSeenMessageId = ticket.messages[0].id;
    await answer(ticket);
    await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'a note', isInternal: true });
    await replied(ticket, { 'Auto-Submitted': 'auto-replied' });
    expect((await ticketOf(owner, ticket.id)).messages).toHaveLength(4);
    expect((await answer(ticket, { lastSeenMessageId })).status).toBe(201);
    await replied(ticket);
    expect((await answer(ticket, { lastSeenMessageId, isInternal: true })).status).toBe(201);
    expect((await answer(ticket, { lastSeenMessageId, sendEmail: false })).status).toBe(201);
    expect((await answer(ticket, { lastSeenMessageId })).status).toBe(409);
  });

  test('is refused if a colleague has answered by mail, unless the answer was cancelled', async () => {
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    const answerAs = (person: Person, ticket: { id: string }, input: object) =>
      person.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Try again.', sendEmail: true, ...input });
    const ticket = await fromMail();
    const lastSeenMessageId = ticket.messages[0].id;
    const [first, second] = [
      await answerAs(owner, ticket, { lastSeenMessageId }),
      await answerAs(colleague, ticket, { lastSeenMessageId }),
    ];
    expect([first.status, second.status, second.body.key]).toEqual([201, 409, 'ticket.newer_message']);
    expect(second.body.params).toEqual({ messageId: first.body.id });
    expect((await answerAs(colleague, ticket, { lastSeenMessageId: first.body.id })).status).toBe(201);
    expect((await answerAs(owner, ticket, { lastSeenMessageId, isInternal: true })).status).toBe(201);
    expect((await answerAs(owner, ticket, { lastSeenMessageId })).status).toBe(409);

    const unsent = await fromMail();
    const seen = { lastSeenMessageId: unsent.messages[0].id };
    const { body: delayed } = await answerAs(owner, unsent, { sendAfterSeconds: 60 });
    expect((await owner.call('POST', `/tickets/${unsent.id}/messages/${delayed.id}/cancel`)).status).toBe(200);
    expect((await answerAs(owner, unsent, { sendEmail: false })).status).toBe(201);
    expect((await answerAs(colleague, unsent, seen)).status).toBe(201);
  });

  test('is refused to one of two colleagues who answer at once', async () => {
    const colleague = await makeMember(house, owner.workspaceId, 'agent');
    const ticket = await fromMail();
    const input = { body: 'Mine', sendEmail: true, lastSeenMessageId: ticket.messages[0].id };
    const answers = await Promise.all(
      [owner, colleague].map((person) => person.call('POST', `/tickets/${ticket.id}/messages`, input)),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  });

  test('is refused for a message that nobody can have seen', async () => {
    const refused = await answer(await fromMail(), { lastSeenMessageId: newId() });
    expect([refused.status, refused.body.params.issues[0].path]).toEqual([400, 'body.lastSeenMessageId']);
  });

  test('and a customer’s reply at once: the reply is either seen or comes later', async () => {
    for (let round = 0; round < 5; round++) {
      const ticket = await fromMail();
      const [answered] = await Promise.all([
        answer(ticket, { lastSeenMessageId: ticket.messages[0].id }),
        replied(ticket),
      ]);
      const order = await house.app.db.rows<{ direction: string }>(sql`
        select direction from messages
        where workspace_id = ${owner.workspaceId} and ticket_id = ${ticket.id} order by arrived_at`);
      const isFirst = order[1]?.direction === 'outbound';
      expect(answered.status).toBe(isFirst ? 201 : 409);
    }
  });
});

describe('an answer that changes its ticket', () => {
  test('closes and archives it in the same step', async () => {
    const ticket = await fromMail();
    const answered = await answer(ticket, { thenStatus: 'closed', thenArchive: true });
    expect(answered.headers.get('etag')).toBe(`"${ticket.version + 1}"`);
    const now = await ticketOf(owner, ticket.id);
    expect(now).toMatchObject({ status: 'closed', version: ticket.version + 1, messageCount: 2 });
    expect(now.archivedAt).not.toBeNull();
    expect((await eventsOf(ticket)).slice(-3)).toEqual([
      ['message.added', { messageId: answered.body.id, direction: 'outbound' }, 'agent'],
      ['ticket.status_changed', { from: 'open', to: 'closed', reason: null }, 'agent'],
      ['ticket.archived', {}, 'agent'],
    ]);
  });

  test('without a change leaves no facts, and a note may change the ticket too', async () => {
    const ticket = await fromMail();
    await answer(ticket, { thenStatus: 'open', thenArchive: false });
    expect((await eventsOf(ticket)).at(-1)?.[0]).toBe('message.added');
    await answer(ticket, { isInternal: true, thenStatus: 'pending' });
    expect(await ticketOf(owner, ticket.id)).toMatchObject({ status: 'pending', archivedAt: null });
    expect((await answer(ticket, { thenStatus: 'solved' })).status).toBe(400);
  });
});

describe('the recipients of an answer', () => {
  test('default to the ticket’s replyDefaults, without an unproven Reply-To', async () => {
    const ticket = await fromMail({ 'Reply-To': 'Ann at home <home@example.org>', Cc: 'cy@example.org' });
    const { replyDefaults } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    expect((await answer(ticket)).body).toMatchObject(replyDefaults);
    expect(replyDefaults).toEqual({ to: ['ann@example.org'], cc: [] });
  });

  test('are the requester’s address if the Reply-To is ours, or came with a machine’s mail', async () => {
    const looped = await fromMail({ 'Reply-To': 'support+x@example.com' });
    expect((await answer(looped)).body.to).toEqual(['ann@example.org']);
    const automatic = await fromMail({ 'Reply-To': 'noreply@example.org', 'Auto-Submitted': 'auto-generated' });
    expect((await answer(automatic)).body.to).toEqual(['ann@example.org']);
  });

  test('each appear once, in To rather than in Cc, and never include ourselves', async () => {
    const { body } = await answer(await fromMail(), {
      toAddresses: ['Bob@example.org', 'bob@EXAMPLE.org', 'support@example.com', ours],
      ccAddresses: [
        'BOB@example.org',
        'cy@example.org',
        'Cy@example.org',
        `Support+tag@example.com`,
        `${ours}`.replace('@', '+t@'),
      ],
    });
    expect(body).toMatchObject({ to: ['Bob@example.org'], cc: ['cy@example.org'] });
  });

  test('must include somebody other than ourselves', async () => {
    const refused = await answer(await fromMail(), {
      toAddresses: ['support@example.com'],
      ccAddresses: ['b@example.org'],
    });
    expect([refused.status, refused.body.params.issues[0].path]).toEqual([400, 'body.toAddresses']);
  });

  test('are known when they write back, and search finds the ticket by them', async () => {
    const ticket = await fromMail();
    await answer(ticket, { ccAddresses: ['late-guest@example.org'] });
    const found = (await owner.call('GET', '/tickets?search=late-guest@example.org')).body;
    expect(found.map(({ id }: any) => id)).toEqual([ticket.id]);
  });

  test('are found under a merged address that only the answer bears', async () => {
    const people = ['old@example.org', 'new@example.org'].map((email) => ({ email, name: null }));
    const create = (requester: object) => owner.call('POST', '/tickets', { subject: 'Moved', body: 'b', requester });
    const [source, target] = await Promise.all(people.map(async (person) => (await create(person)).body.requester));
    await owner.call('POST', `/contacts/${source.contactId}/merge`, { targetContactId: target.contactId });
    const { body: ticket } = await create({ email: 'new@example.org' });
    const found = async () =>
      (await owner.call('GET', '/tickets?search=old@example.org')).body.map(({ id }: any) => id);
    expect(await found()).not.toContain(ticket.id);
    await answer(ticket, { toAddresses: ['old@example.org'] });
    expect(await found()).toContain(ticket.id);
  });
});

describe('an answer that is held back', () => {
  test('tells when it will leave, and leaves then', async () => {
    const { body: held } = await answer(await fromMail(), { sendAfterSeconds: 30 });
    expect(held.delivery).toMatchObject({ status: 'queued', attempts: 0 });
    expect(Date.parse(held.delivery.nextAttemptAt) - Date.parse(held.createdAt)).toBe(30_000);
    const { dueIn } = await house.app.db.one<{ dueIn: number }>(sql`
      select extract(epoch from run_at - created_at)::float8 as "dueIn" from graphile_worker.jobs
      where key = ${`mail.deliver:${held.id}`}`);
    expect(Math.round(dueIn)).toBe(30);
    await house.drain();
    expect((await ticketOf(owner, held.ticketId)).messages.at(-1).delivery.status).toBe('queued');
    await house.app.db.pool.query('update graphile_worker._private_jobs set run_at = now() where key = $1', [
      `mail.deliver:${held.id}`,
    ]);
    await house.drain();
    const { delivery } = (await ticketOf(owner, held.ticketId)).messages.at(-1);
    expect(delivery).toMatchObject({ status: 'sent', nextAttemptAt: null });
  });

  test.each([-1, 61, 1.5, '10'])('by %s seconds is refused', async (sendAfterSeconds) => {
    expect((await answer(await fromMail(), { sendAfterSeconds })).status).toBe(400);
  });
});

describe('a ticket that begins with a mail', () => {
  const create = (input: object) =>
    owner.call('POST', '/tickets', { subject: 'News', body: 'Hello', sendEmail: true, ...input });

  test('is the caller’s message to the first recipient, who becomes the requester', async () => {
    const { status, body } = await create({
      toAddresses: ['new@example.org', 'two@example.org'],
      ccAddresses: ['three@example.org'],
      bodyHtml: '<p onclick="x()">Hello</p>',
    });
    expect(status).toBe(201);
    expect(body.requester).toMatchObject({ email: 'new@example.org', name: null });
    const { messages } = await ticketOf(owner, body.id);
    expect(messages).toMatchObject([
      {
        direction: 'outbound',
        author: { type: 'agent', userId: owner.userId },
        to: ['new@example.org', 'two@example.org'],
        cc: ['three@example.org'],
        bodyHtml: '<p>Hello</p>',
        delivery: { status: 'queued' },
      },
    ]);
    await house.drain();
    expect((await ticketOf(owner, body.id)).messages[0].delivery.status).toBe('sent');
    expect((await owner.call('GET', '/tickets?search=three@example.org')).body).toHaveLength(1);
  });

  test('goes to the requester if one is named, unless recipients are', async () => {
    const requester = { email: 'req@example.org', name: 'Reg' };
    const { body } = await create({ requester, sendAfterSeconds: 10 });
    expect(body.requester).toMatchObject(requester);
    expect((await ticketOf(owner, body.id)).messages[0]).toMatchObject({
      to: ['req@example.org'],
      direction: 'outbound',
    });
    const other = await create({ requester, toAddresses: ['boss@example.org'] });
    expect(other.body.requester).toMatchObject(requester);
    expect((await ticketOf(owner, other.body.id)).messages[0].to).toEqual(['boss@example.org']);
  });

  test('needs a recipient', async () => {
    const refused = await create({});
    expect([refused.status, refused.body.params.issues[0].path]).toEqual([400, 'body.toAddresses']);
    expect((await create({ requester: { email: 'support@example.com' } })).status).toBe(400);
    expect((await create({ toAddresses: ['a@example.org'] })).status).toBe(201);
  });

  test('without sendEmail ignores addresses', async () => {
    const { body } = await create({
      sendEmail: false,
      requester: { email: 'q@example.org' },
      toAddresses: ['r@example.org'],
    });
    expect((await ticketOf(owner, body.id)).messages[0]).toMatchObject({
      direction: 'inbound',
      to: [],
      delivery: null,
    });
  });
});
