import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openGraphEmulator } from '../../emulators/graph.ts';
import { makeMember, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { ticketOf, ticketsOf } from '../../test/mails.ts';
import { type HostedMailbox, putMailbox } from '../../test/put-mailbox.ts';
import { sql } from '../database/sql.ts';
import type { TicketId } from '../lib/ids.ts';
import { syncMailbox } from './sync/sync-mailbox.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
afterAll(() => Promise.all([gmail.close(), graph.close()]));

const house = useHouse({ ...gmail.settings, ...graph.settings });

let addresses = 0;

/** A workspace with mailboxes, of Gmail by default. */
async function openDesk(provider: 'mail-a' | 'mail-b' = 'mail-b') {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const emulator = provider === 'mail-a' ? graph : gmail;
  const connect = async (options: { defaultAssigneeId?: string; defaultTags?: string[] } = {}) => {
    const address = `desk${++addresses}@office.example`;
    const { refreshToken } = emulator.addMailbox({ address });
    const mailbox = await putMailbox(house, { workspaceId, provider, address, refreshToken, ...options });
    await read(mailbox);
    return mailbox;
  };
  const read = async (...mailboxes: HostedMailbox[]) => {
    for (const { id } of mailboxes) await syncMailbox(house.app, { workspaceId, mailboxId: id });
    await house.drain();
  };
  return { owner, connect, read, emulator };
}

const told = async (person: Person) => (await person.call('GET', '/notifications')).body.items;
const eventsOf = async (person: Person, ticketId: TicketId): Promise<any[]> =>
  (await person.call('GET', `/tickets/${ticketId}/events`)).body.items;

describe('a ticket that mail of a mailbox opens', () => {
  test('begins with the mailbox’s assignee, who is told, and its tags', async () => {
    const { owner, connect, read } = await openDesk();
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const mailbox = await connect({ defaultAssigneeId: agent.userId, defaultTags: ['Shop', 'vip'] });
    await gmail.deliver(mailbox.address, { subject: 'Where is my parcel?' });
    await read(mailbox);
    const [ticket] = await ticketsOf(owner);
    expect(ticket).toMatchObject({
      mailboxId: mailbox.id,
      assigneeId: agent.userId,
      tags: ['Shop', 'vip'],
      status: 'open',
      requester: { email: 'cora@example.com', name: 'Cora Customer' },
    });
    expect(await told(agent)).toMatchObject([
      { type: 'assignment', title: 'You were assigned #1 Where is my parcel?' },
    ]);
    expect((await eventsOf(owner, ticket.id)).map(({ type }) => type)).toEqual(['ticket.created', 'ticket.assigned']);
  });

  test('has no assignee when that member is leaving', async () => {
    const { owner, connect, read } = await openDesk();
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const mailbox = await connect({ defaultAssigneeId: agent.userId });
    await house.app.db.tx((tx) =>
      tx.run(sql`update members set removed_at = ${tx.now} where user_id = ${agent.userId}`),
    );
    await gmail.deliver(mailbox.address, { subject: 'Where is my parcel?' });
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ assigneeId: null }]);
  });
});

describe('mail in several mailboxes', () => {
  test('is taken once, and recorded for each mailbox', async () => {
    const { owner, connect, read } = await openDesk();
    const [one, other] = [await connect(), await connect()];
    await gmail.carry({ subject: 'To both', to: [one.address, other.address] });
    await read(one, other);
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'To both', messageCount: 1 }]);
    const places = await house.app.db.rows(sql`
      select distinct h.mailbox_id, r.message_id
      from mailbox_mails h
      join raw_mails r on r.workspace_id = h.workspace_id and r.id = h.raw_mail_id
      where h.workspace_id = ${owner.workspaceId} and r.message_id is not null`);
    expect(places).toHaveLength(2);
  });

  test.each(['first', 'last'])('from one mailbox to another arrives once, with the sent copy read %s', async (when) => {
    const { owner, connect, read } = await openDesk();
    const [one, other] = [await connect(), await connect()];
    await gmail.sendByHand(one.address, { subject: 'Among us', to: [other.address] });
    await read(...(when === 'first' ? [one, other] : [other, one]));
    const [{ id, ...ticket }, ...others] = await ticketsOf(owner);
    expect(others).toEqual([]);
    expect(ticket).toMatchObject({ subject: 'Among us', status: 'open', messageCount: 1, requester: null });
    expect((await ticketOf(owner, id)).messages).toMatchObject([{ direction: 'inbound', author: { type: 'system' } }]);
  });
});

test.each(['first', 'last'])(
  'mail sent by hand with another mailbox in Cc is outbound, with the sent copy read %s',
  async (when) => {
    const { owner, connect, read } = await openDesk();
    const [one, other] = [await connect(), await connect()];
    await gmail.sendByHand(one.address, { subject: 'For you', to: ['ida@example.com'], cc: [other.address] });
    await read(...(when === 'first' ? [one, other] : [other, one]));
    const [{ id, ...ticket }, ...others] = await ticketsOf(owner);
    expect(others).toEqual([]);
    expect(ticket).toMatchObject({ messageCount: 1, requester: { email: 'ida@example.com' } });
    expect((await ticketOf(owner, id)).messages).toMatchObject([
      { direction: 'outbound', author: { type: 'agent', email: one.address }, delivery: { status: 'sent' } },
    ]);
  },
);

describe.each(['mail-a', 'mail-b'] as const)('mail sent by hand from %s', (provider) => {
  let desk: Awaited<ReturnType<typeof openDesk>>;
  let agent: Person;
  let mailbox: HostedMailbox;

  beforeAll(async () => {
    desk = await openDesk(provider);
    agent = await makeMember(house, desk.owner.workspaceId, 'agent');
    mailbox = await desk.connect({ defaultAssigneeId: agent.userId });
  });

  const newest = async (): Promise<any> => ticketOf(desk.owner, (await ticketsOf(desk.owner)).at(-1).id);

  test('is an outbound message of the answered ticket, whose status stays, and notifies nobody', async () => {
    const { owner, emulator, read } = desk;
    await emulator.deliver(mailbox.address, { subject: 'Broken lamp', messageId: `lamp.${provider}@example.com` });
    await read(mailbox);
    const { id } = await newest();
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const before = await told(agent);
    await emulator.sendByHand(mailbox.address, {
      from: `Dana <${mailbox.address}>`,
      to: ['cora@example.com'],
      cc: ['Carl <carl@example.com>'],
      subject: 'Re: Broken lamp',
      inReplyTo: `lamp.${provider}@example.com`,
      text: 'A new one is on its way.',
    });
    await read(mailbox);
    const ticket = await newest();
    expect(ticket).toMatchObject({ id, status: 'closed', requester: { email: 'cora@example.com' }, messageCount: 2 });
    expect(ticket.messages[1]).toMatchObject({
      direction: 'outbound',
      author: { type: 'agent', userId: null, name: 'Dana', email: mailbox.address },
      to: ['cora@example.com'],
      cc: ['carl@example.com'],
      delivery: { status: 'sent', attempts: 0, error: null },
    });
    expect(await told(agent)).toEqual(before);
    // Carl is a participant from now on.
    await emulator.deliver(mailbox.address, {
      from: 'carl@example.com',
      subject: 'Re: Broken lamp',
      messageId: `carl.${provider}@example.com`,
      inReplyTo: `lamp.${provider}@example.com`,
    });
    await read(mailbox);
    expect(await newest()).toMatchObject({ id, status: 'open', messageCount: 3 });
  });

  test('creates a closed ticket for its recipient, whose answer opens it', async () => {
    const { emulator, read } = desk;
    const messageId = `offer.${provider}@office.example`;
    await emulator.sendByHand(mailbox.address, {
      to: ['Kim <kim@example.com>'],
      subject: 'Our offer',
      messageId,
    });
    await read(mailbox);
    const before = await told(agent);
    const ticket = await newest();
    expect(ticket).toMatchObject({
      subject: 'Our offer',
      status: 'closed',
      requester: { email: 'kim@example.com' },
      mailboxId: mailbox.id,
      messages: [{ direction: 'outbound' }],
    });
    const [received] = emulator.received('kim@example.com');
    await emulator.reply(received?.id ?? '');
    await read(mailbox);
    expect(await newest()).toMatchObject({ id: ticket.id, status: 'open', messageCount: 2 });
    expect(await told(agent)).toHaveLength(before.length + 1);
  });

  test('has the member as author that Sender names', async () => {
    const { emulator, read } = desk;
    await emulator.sendByHand(mailbox.address, {
      to: ['lee@example.com'],
      subject: 'On behalf',
      headers: { Sender: agent.email },
    });
    await read(mailbox);
    expect((await newest()).messages).toMatchObject([{ author: { type: 'agent', userId: agent.userId } }]);
  });
});

describe.each(['mail-a', 'mail-b'] as const)('an answer that left through %s', (provider) => {
  test('is recognised in the sent folder, and the customer’s reply finds its ticket', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const to = `mia.${provider}@example.com`;
    const { body: ticket } = await owner.call('POST', '/tickets', {
      subject: 'Your order',
      body: 'It is on its way.',
      sendEmail: true,
      toAddresses: [to],
      mailboxId: mailbox.id,
    });
    await house.drain();
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id: ticket.id, messageCount: 1 }]);
    const [received] = emulator.received(to);
    await emulator.reply(received?.id ?? '');
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id: ticket.id, messageCount: 2 }]);
  });

  test('counts as sent once its copy is seen, even if the sending process died', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const messageId = await putSending(owner);
    await emulator.sendByHand(mailbox.address, {
      to: ['nora@example.com'],
      subject: 'Re: Cut off',
      messageId: `wire.${provider}@mail.example`,
      headers: { 'X-Kontor-Message-ID': `<own.${messageId}@kontor.example>` },
    });
    await read(mailbox);
    const [{ id }] = await ticketsOf(owner);
    expect((await ticketOf(owner, id)).messages).toMatchObject([{ id: messageId, delivery: { status: 'sent' } }]);
    await emulator.deliver(mailbox.address, { subject: 'Thanks', inReplyTo: `wire.${provider}@mail.example` });
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ id, messageCount: 2 }]);
  });

  test('is not recognised in a stranger’s mail with its id header', async () => {
    const { owner, connect, read, emulator } = await openDesk(provider);
    const mailbox = await connect();
    const messageId = await putSending(owner);
    await emulator.deliver(mailbox.address, {
      subject: 'Forged',
      headers: { 'X-Kontor-Message-ID': `<own.${messageId}@kontor.example>` },
    });
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ subject: 'Cut off', messageCount: 1 }, { subject: 'Forged' }]);
    const [{ id }] = await ticketsOf(owner);
    expect((await ticketOf(owner, id)).messages).toMatchObject([{ delivery: { status: 'sending' } }]);
  });

  /** An answer whose process died after it had begun to send. */
  async function putSending(owner: Person): Promise<string> {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Cut off', body: 'An answer.' });
    const [message] = (await ticketOf(owner, ticket.id)).messages;
    const ownId = `own.${message.id}@kontor.example`;
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        update messages set delivery_status = 'sending', handing_over_at = ${tx.now}, rfc_message_id = ${ownId}
        where workspace_id = ${owner.workspaceId} and id = ${message.id}`);
      await tx.run(sql`
        insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
        values (${owner.workspaceId}, ${ownId}, ${ticket.id}, ${message.id})`);
    });
    return message.id;
  }
});

describe('mail without ids', () => {
  test('follows Gmail’s thread, even within one batch', async () => {
    const { owner, connect, read } = await openDesk();
    const mailbox = await connect();
    const root = await gmail.deliver(mailbox.address, { from: 'ann@example.org', subject: 'Printer' });
    await gmail.deliver(mailbox.address, { from: 'ben@example.org', subject: 'Re: Printer', inReplyTo: 'x@y.example' });
    await inThread(mailbox, root.threadId);
    await read(mailbox);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 2 }]);
    const { threading } = await lastThreading(owner);
    expect(threading).toMatchObject({ matchedBy: 'provider-thread', matchedId: root.threadId, isSenderKnown: false });
  });

  test('follows Graph’s conversation only if the writer is a participant or the subject matches', async () => {
    const { owner, connect, read } = await openDesk('mail-a');
    const mailbox = await connect();
    const { workspaceId } = owner;
    await graph.deliver(mailbox.address, {
      from: 'ann@example.org',
      subject: 'Printer',
      messageId: 'root@example.org',
    });
    await read(mailbox);
    const { threadId } = await house.app.db.one<{ threadId: string }>(sql`
      select thread_id as "threadId" from mailbox_mails where workspace_id = ${workspaceId}`);
    const deliver = async (from: string, subject: string) => {
      await graph.deliver(mailbox.address, { from, subject });
      await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
      await house.app.db.tx((tx) =>
        tx.run(sql`update mailbox_mails set thread_id = ${threadId} where workspace_id = ${workspaceId}`),
      );
      await house.drain();
    };
    await deliver('ann@example.org', 'Another thing');
    await deliver('ben@example.org', 'AW: Printer');
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 3 }]);
    await deliver('eve@example.org', 'Show me everything');
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 3 }, { subject: 'Show me everything' }]);
  });

  /** As if Gmail had put all mail of the mailbox into one thread. */
  async function inThread({ id, workspaceId }: HostedMailbox, threadId: string): Promise<void> {
    await syncMailbox(house.app, { workspaceId, mailboxId: id });
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailbox_mails set thread_id = ${threadId} where workspace_id = ${workspaceId}`),
    );
  }

  function lastThreading({ workspaceId }: Person): Promise<{ threading: unknown }> {
    return house.app.db.one(sql`
      select threading from messages where workspace_id = ${workspaceId} order by id desc limit 1`);
  }
});
