import { describe, expect, it } from 'vitest';
import { makeMember, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { mailOf as plainMailOf, ticketOf, ticketsOf } from '../../test/mails.ts';
import { sql } from '../database/sql.ts';
import type { MessageId } from '../lib/ids.ts';
import { ingestMails } from './ingest.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@kontor.example>', SMTP_LISTEN: '127.0.0.1:2525' });

let count = 0;
/** Each mail has its own subject, so that none matches a ticket by subject. Its Date is now. */
const mailOf = ({ headers = {}, ...rest }: Parameters<typeof plainMailOf>[0] = {}) =>
  plainMailOf({
    ...rest,
    headers: { Subject: `Printer number ${++count} burns`, Date: house.clock.now().toUTCString(), ...headers },
  });

type Envelope = { from: string; to: string[] };

/** Ingests a mail as SMTP delivers it. */
function receive({ workspaceId }: Person, mail: Buffer, envelope?: Envelope) {
  const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt: house.clock.now() } as const;
  return ingestMails(house.app, envelope === undefined ? source : { ...source, envelope }, [mail]);
}

const headerOf = (raw: string, name: string) =>
  new RegExp(`^${name}: *(.*)$`, 'im').exec(raw.replace(/\r\n[ \t]/g, ' '))?.[1]?.trim() ?? '';

/** A ticket of Ann that an agent has answered by mail, and the sent mail. */
async function answeredTicket() {
  const owner = await makeOwner(house);
  await receive(owner, mailOf());
  const [{ id }] = await ticketsOf(owner);
  const sent = await answer(owner, id);
  return { owner, id, sent };
}

async function answer(owner: Person, id: string) {
  const { body: message } = await owner.call('POST', `/tickets/${id}/messages`, {
    body: 'Unplug it.',
    sendEmail: true,
  });
  await house.drain();
  const raw = (await house.outbox()).at(-1) ?? '';
  return {
    raw,
    messageId: message.id as MessageId,
    rfcMessageId: headerOf(raw, 'Message-ID'),
    replyTo: /<?([^<>\s]+@[^<>\s]+)>?$/.exec(headerOf(raw, 'Reply-To'))?.[1] ?? '',
  };
}

const threadingOf = async ({ workspaceId }: Person) =>
  (
    await house.app.db.rows<{ threading: any }>(sql`
      select threading from messages
      where workspace_id = ${workspaceId} and direction = 'inbound' order by arrived_at desc limit 1`)
  )[0]?.threading;

describe('a mail to the reply address of an answer', () => {
  it.each([
    ['as SMTP said', (to: string) => ({ mail: mailOf(), envelope: { from: 'ann@example.org', to: [to] } })],
    ['in Delivered-To', (to: string) => ({ mail: mailOf({ headers: { 'Delivered-To': to } }) })],
    ['in To', (to: string) => ({ mail: mailOf({ headers: { To: `Support <${to}>` } }) })],
    ['in Cc, in capitals', (to: string) => ({ mail: mailOf({ headers: { Cc: to.toUpperCase() } }) })],
  ])('joins its ticket by the token alone, %s', async (_where, made) => {
    const { owner, id, sent } = await answeredTicket();
    expect(sent.replyTo).toMatch(/^inbox-[0-9a-f]{12}\+[a-z2-7]{39}@kontor\.example$/);
    const { mail, envelope } = { envelope: undefined, ...made(sent.replyTo) };
    await receive(owner, mail, envelope);
    expect(await ticketsOf(owner)).toHaveLength(1);
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
    expect(await threadingOf(owner)).toMatchObject({
      matchedBy: 'token',
      matchedId: sent.messageId,
      isSenderKnown: true,
    });
  });

  it('is matched by the token before its ids', async () => {
    const { owner, id, sent } = await answeredTicket();
    await receive(owner, mailOf({ headers: { 'Message-ID': '<other@example.org>' } }));
    const envelope = { from: 'ann@example.org', to: [sent.replyTo] };
    await receive(owner, mailOf({ headers: { 'In-Reply-To': '<other@example.org>' } }), envelope);
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
  });

  it('is matched by the newest of several tokens', async () => {
    const { owner, id, sent: first } = await answeredTicket();
    const second = await answer(owner, id);
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [second.replyTo, first.replyTo] });
    expect(await threadingOf(owner)).toMatchObject({ matchedId: second.messageId });
  });

  it('with a foreign token is treated as a mail without one', async () => {
    const { owner, sent } = await answeredTicket();
    const forged = sent.replyTo.replace(/\+./, (found) => (found === '+a' ? '+b' : '+a'));
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [forged] });
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [sent.replyTo.replace(/\+[^@]+/, '+sales')] });
    expect(await ticketsOf(owner)).toHaveLength(3);
  });

  it('with a token of another workspace is treated as a mail without one', async () => {
    const { sent } = await answeredTicket();
    const other = await makeOwner(house);
    await receive(other, mailOf({ headers: { To: sent.replyTo } }));
    expect(await ticketsOf(other)).toMatchObject([{ messageCount: 1 }]);
    expect(await threadingOf(other)).toMatchObject({ matchedBy: null });
  });

  it('of a new participant is kept, and marked so', async () => {
    const { owner, id, sent } = await answeredTicket();
    const mail = mailOf({ headers: { From: 'eve@example.net' } });
    await receive(owner, mail, { from: 'eve@example.net', to: [sent.replyTo] });
    expect(await threadingOf(owner)).toMatchObject({ matchedBy: 'token', isSenderKnown: false });
    expect(await ticketOf(owner, id)).toMatchObject({ requester: { email: 'ann@example.org' }, messageCount: 3 });
  });

  it('wakes a snoozed ticket, and its events show the cause', async () => {
    const { owner, id, sent } = await answeredTicket();
    const snoozedUntil = new Date(house.clock.now().getTime() + 86_400_000).toISOString();
    await owner.call('PATCH', `/tickets/${id}`, { snoozedUntil });
    await receive(owner, mailOf(), { from: 'ann@example.org', to: [sent.replyTo] });
    expect(await ticketOf(owner, id)).toMatchObject({ snoozedUntil: null, status: 'open' });
    const events = (await owner.call('GET', `/tickets/${id}/events`)).body.items;
    expect(events.find(({ type }: any) => type === 'ticket.woken')).toMatchObject({ data: { by: 'reply' } });
  });
});

describe('our own mail that comes back', () => {
  it('adds no message and no ticket, however a forward or a list changed it', async () => {
    const { owner, id, sent } = await answeredTicket();
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const before = await ticketOf(owner, id);
    const listed = sent.raw.replace(/^Subject: /im, 'List-Id: <l.example.org>\r\nSubject: [list] ');
    for (const copy of [sent.raw, listed, sent.raw.replaceAll('support@', 'SUPPORT@')])
      await receive(owner, Buffer.from(copy), { from: 'list@example.org', to: [sent.replyTo] });
    expect(await ticketOf(owner, id)).toEqual(before);
    expect(await ticketsOf(owner)).toHaveLength(1);
    const states = await house.app.db.rows(sql`
      select state, message_id as "messageId" from raw_mails where workspace_id = ${owner.workspaceId} order by id`);
    expect(states.slice(1)).toEqual(states.slice(1).map(() => ({ state: 'duplicate', messageId: sent.messageId })));
    expect(states).toHaveLength(4);
  });

  it('is kept with a system author when we do not know it', async () => {
    const owner = await makeOwner(house);
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await receive(owner, mailOf({ headers: { 'Message-ID': '<q@example.org>' } }));
    const [{ id }] = await ticketsOf(owner);
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const headers = { From: 'Support <support+x@kontor.example>', 'In-Reply-To': '<q@example.org>' };
    await receive(owner, mailOf({ headers }));
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'closed', messageCount: 2 });
    expect(ticket.messages[1].author).toMatchObject({ type: 'system', email: 'support+x@kontor.example' });
    const replies = (await agent.call('GET', '/notifications')).body.items.filter(({ type }: any) => type === 'reply');
    expect(replies).toEqual([]);
  });
});

describe('a bounce', () => {
  type Failed = { address: string; action?: string; status?: string; diagnostic?: string };
  const bounceOf = (failed: Failed[], originalId: string, original: string[] = []) =>
    mailOf({
      headers: {
        From: 'Mail Delivery System <mailer-daemon@example.org>',
        Subject: 'Undelivered Mail Returned to Sender',
        'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b',
      },
      body: [
        '--b',
        'Content-Type: text/plain',
        '',
        'Your message could not be delivered.',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.example.org',
        ...failed.flatMap(({ address, action = 'failed', status = '5.1.1', diagnostic = '550 User unknown' }) => [
          '',
          `Final-Recipient: rfc822; ${address}`,
          `Action: ${action}`,
          `Status: ${status}`,
          `Diagnostic-Code: smtp; ${diagnostic}`,
        ]),
        ...(originalId === ''
          ? []
          : ['--b', 'Content-Type: text/rfc822-headers', '', `Message-ID: ${originalId}`, ...original]),
        '--b--',
      ].join('\r\n'),
    });
  const deliveryOf = async (owner: Person, id: string, messageId: MessageId) =>
    (await ticketOf(owner, id)).messages.find((message: any) => message.id === messageId).delivery;

  it('distinguishes a full mailbox, a wrong address and a report of success', async () => {
    const { owner, id, sent } = await answeredTicket();
    const success = { address: 'ann@example.org', status: '2.0.0', diagnostic: '250 OK' };
    await receive(owner, bounceOf([success], sent.rfcMessageId));
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent', bounceKind: null });
    const full = { address: 'ann@example.org', status: '5.2.2', diagnostic: '552 mailbox full' };
    await receive(owner, bounceOf([full], sent.rfcMessageId));
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({
      status: 'bounced',
      bounceKind: 'soft',
      enhancedStatusCode: '5.2.2',
    });
  });

  it('marks the message that bounced, and reopens its ticket', async () => {
    const { owner, id, sent } = await answeredTicket();
    await answer(owner, id);
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await owner.call('POST', `/tickets/${id}/archive`);
    // A Date has no milliseconds.
    house.clock.advance(2_000);
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId));
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'open', archivedAt: null, messageCount: 4 });
    expect(ticket.messages.map(({ delivery }: any) => delivery?.status ?? null)).toEqual([
      null,
      'bounced',
      'sent',
      null,
    ]);
    expect(ticket.messages[1].delivery.error).toBe('ann@example.org: the other server said “550 User unknown” (5.1.1)');
    expect(ticket.messages[3]).toMatchObject({ direction: 'inbound', automaticKind: 'bounce' });
    expect(await threadingOf(owner)).toMatchObject({ matchedBy: 'report', matchedId: sent.messageId });
  });

  it('marks the message even when the provider had replaced its Message-ID', async () => {
    const { owner, id, sent } = await answeredTicket();
    const own = [`X-Kontor-Message-ID: ${sent.rfcMessageId}`];
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], '<of-the-provider@mail.example>', own));
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'bounced' });
    expect((await ticketOf(owner, id)).messages).toHaveLength(3);
  });

  it('of an unknown mail goes to the ticket of the mail that it answered', async () => {
    const { owner, id, sent } = await answeredTicket();
    const answered = [`References: ${sent.rfcMessageId}`];
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], '<by-hand@example.com>', answered));
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent' });
    expect((await ticketOf(owner, id)).messages.at(-1)).toMatchObject({ automaticKind: 'bounce' });
  });

  it('without the original’s id marks the message whose token is in its recipient', async () => {
    const { owner, id, sent } = await answeredTicket();
    const failed = [
      { address: 'ann@example.org' },
      { address: 'bob@example.org', status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' },
      { address: 'cy@example.org', action: 'delivered', status: '2.0.0' },
    ];
    await receive(owner, bounceOf(failed, ''), { from: '', to: [sent.replyTo] });
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({
      status: 'bounced',
      error: 'ann@example.org: the other server said “550 User unknown” (5.1.1)',
    });
    expect(await ticketsOf(owner)).toHaveLength(1);
  });

  it('marks once: a second bounce changes no delivery', async () => {
    const { owner, id, sent } = await answeredTicket();
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId));
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await receive(owner, bounceOf([{ address: 'bob@example.org' }], sent.rfcMessageId));
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 4 });
    expect((await deliveryOf(owner, id, sent.messageId)).error).toContain('ann@');
  });

  it.each([
    [
      'a delay',
      (sent: { rfcMessageId: string }) =>
        bounceOf([{ address: 'a@b.example', action: 'delayed', status: '4.4.1' }], sent.rfcMessageId),
    ],
    [
      'a vacation note',
      (sent: { rfcMessageId: string }) =>
        mailOf({ headers: { 'Auto-Submitted': 'auto-replied', 'In-Reply-To': sent.rfcMessageId } }),
    ],
  ])('is not %s, which marks nothing', async (_what, made) => {
    const { owner, id, sent } = await answeredTicket();
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await receive(owner, made(sent), { from: '', to: [sent.replyTo] });
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent' });
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed', messageCount: 3 });
  });

  it('of an import marks nothing', async () => {
    const { owner, id, sent } = await answeredTicket();
    const source = { workspaceId: owner.workspaceId, mailboxId: null, receivedAt: house.clock.now() };
    const bounce = bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId);
    await ingestMails(house.app, { ...source, origin: 'import', via: 'import' }, [bounce]);
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent' });
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
  });

  it('of another workspace’s mail marks nothing', async () => {
    const { owner, id, sent } = await answeredTicket();
    const other = await makeOwner(house);
    await receive(other, bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId), {
      from: '',
      to: [sent.replyTo],
    });
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent' });
    expect(await ticketsOf(other)).toHaveLength(1);
  });
});
