import { describe, expect, it } from 'vitest';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingestMails, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { useAnswers } from '../../../test/worlds/use-answers.ts';
import type { MessageId } from '../../ground/lib/ids.ts';

const { answer, answeredTicket, house, mailOf, receive, threadingOf } = useAnswers();

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

  /** The bounce comes to the answer's own address, as from any server that follows the envelope. */
  const atToken = ({ replyTo }: { replyTo: string }) => ({ from: '', to: [replyTo] });

  it('distinguishes a full mailbox, a wrong address and a report of success', async () => {
    const { owner, id, sent } = await answeredTicket();
    const success = { address: 'ann@example.org', status: '2.0.0', diagnostic: '250 OK' };
    await receive(owner, bounceOf([success], sent.rfcMessageId), atToken(sent));
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent', bounceKind: null });
    const full = { address: 'ann@example.org', status: '5.2.2', diagnostic: '552 mailbox full' };
    await receive(owner, bounceOf([full], sent.rfcMessageId), atToken(sent));
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
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId), atToken(sent));
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
    await receive(
      owner,
      bounceOf([{ address: 'ann@example.org' }], '<of-the-provider@mail.example>', own),
      atToken(sent),
    );
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

  it('marks nothing elsewhere without proof: strangers know the Message-ID and the recipients too', async () => {
    const { owner, id, sent } = await answeredTicket();
    const other = await answer(owner, id);
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const bounce = () => bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId);
    for (const envelope of [{ from: '', to: [] }, atToken(other)]) await receive(owner, bounce(), envelope);
    expect(await deliveryOf(owner, id, sent.messageId)).toMatchObject({ status: 'sent', error: null });
    expect(await ticketOf(owner, id)).toMatchObject({ status: 'closed' });
  });

  it('marks once: a second bounce changes no delivery', async () => {
    const { owner, id, sent } = await answeredTicket();
    await receive(owner, bounceOf([{ address: 'ann@example.org' }], sent.rfcMessageId), atToken(sent));
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await receive(owner, bounceOf([{ address: 'bob@example.org' }], sent.rfcMessageId), atToken(sent));
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
