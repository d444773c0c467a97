import { beforeAll, describe, expect, test } from 'vitest';
import { makeMember, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import type { HostedMailbox } from '../../../test/worlds/put-mailbox.ts';
import { useHostedMail } from '../../../test/worlds/use-hosted-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';

const { gmail, house, openDesk } = await useHostedMail();

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
