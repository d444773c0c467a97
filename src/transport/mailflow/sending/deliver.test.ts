import { parseMail } from '@kontor/mail/parse.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import type { MessageId, TicketId } from '../../../ground/lib/ids.ts';
import type { OutgoingMail, SendOutcome } from '../../../mail/transport.ts';
import { deliverMail } from './deliver.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@desk.example>' });
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann Agent');
});

async function answer(input: object = {}): Promise<{ ticketId: TicketId; messageId: MessageId }> {
  const { body: ticket } = await owner.call('POST', '/tickets', {
    subject: 'Prïnter',
    body: 'b',
    requester: { email: 'c@example.org' },
  });
  const { body: message } = await agent.call('POST', `/tickets/${ticket.id}/messages`, {
    body: 'Try again.',
    sendEmail: true,
    ...input,
  });
  return { ticketId: ticket.id, messageId: message.id };
}

async function deliveryOf({ ticketId, messageId }: { ticketId: TicketId; messageId: MessageId }): Promise<any> {
  const { body } = await owner.call('GET', `/tickets/${ticketId}`);
  return body.messages.find((message: any) => message.id === messageId).delivery;
}

/** The same house with another mail transport. */
const appWith = (send: (mail: OutgoingMail) => Promise<SendOutcome>) => ({
  ...house.app,
  mail: { send, close: async () => {} },
});

describe('an answer by e-mail', () => {
  test('leaves with the agent’s name and our Message-ID, and is marked as sent', async () => {
    const sent = await answer({ bodyHtml: '<p>Try <b>again</b>.</p>', ccAddresses: ['d@example.org'] });
    await house.drain();
    const delivery = await deliveryOf(sent);
    expect(delivery).toMatchObject({ status: 'sent', attempts: 1, error: null });
    expect(delivery.sentAt).toMatch(/Z$/);
    const mail = await parseMail(Buffer.from((await house.outbox()).at(-1) ?? ''));
    expect(mail).toMatchObject({
      from: { name: 'Ann Agent', email: 'support@desk.example' },
      to: [{ email: 'c@example.org' }],
      cc: [{ email: 'd@example.org' }],
      subject: 'Prïnter',
      text: expect.stringContaining('Try again.'),
      html: expect.stringContaining('<b>again</b>'),
    });
    expect(mail.messageId).toMatch(/@desk\.example$/);
    const known = await house.app.db.pool.query(
      'select ticket_id, message_id from mail_ids where rfc_message_id = $1',
      [mail.messageId],
    );
    expect(known.rows).toEqual([{ ticket_id: sent.ticketId, message_id: sent.messageId }]);
    const { body } = await owner.call('GET', `/tickets/${sent.ticketId}/events`);
    expect(body.items.at(-1)).toMatchObject({
      type: 'message.delivery_changed',
      data: { status: 'sent' },
      actor: { type: 'system' },
    });
  });

  test('a job that runs twice sends once', async () => {
    const sent = await answer();
    await house.drain();
    const before = (await house.outbox()).length;
    await deliverMail(
      house.app,
      { workspaceId: owner.workspaceId, messageId: sent.messageId },
      { attempt: 1, attemptsMax: 3 },
    );
    expect(await house.outbox()).toHaveLength(before);
    expect(await deliveryOf(sent)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  test('a note never leaves', async () => {
    const before = (await house.outbox()).length;
    await answer({ isInternal: true });
    await house.drain();
    expect(await house.outbox()).toHaveLength(before);
  });

  test('a permanent refusal fails with its reason, and is not retried', async () => {
    const refused = await answer();
    const app = appWith(async () => ({ ok: false, permanent: true, code: '550', reason: '550 no such user' }));
    const payload = { workspaceId: owner.workspaceId, messageId: refused.messageId };
    await deliverMail(app, payload, { attempt: 1, attemptsMax: 3 });
    expect(await deliveryOf(refused)).toMatchObject({
      status: 'failed',
      error: '550 no such user',
      nextAttemptAt: null,
    });
    await deliverMail(app, payload, { attempt: 2, attemptsMax: 3 });
    expect(await deliveryOf(refused)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('a temporary refusal is retried, and fails when the attempts are used up', async () => {
    const deferred = await answer();
    const app = appWith(async () => ({ ok: false, permanent: false, code: '451', reason: '451 later, c@example.org' }));
    const payload = { workspaceId: owner.workspaceId, messageId: deferred.messageId };
    await expect(deliverMail(app, payload, { attempt: 1, attemptsMax: 3 })).rejects.toThrow(/: 451$/);
    const delivery = await deliveryOf(deferred);
    expect(delivery).toMatchObject({ status: 'queued', error: '451 later, c@example.org', attempts: 1 });
    expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.now());
    await deliverMail(app, payload, { attempt: 2, attemptsMax: 3 });
    expect(await deliveryOf(deferred)).toMatchObject({ status: 'failed', attempts: 2 });
  });

  test('an answer whose connection was lost in mid-delivery is uncertain and not sent again', async () => {
    const lost = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: lost.messageId };
    let sends = 0;
    const app = appWith(async () => {
      sends++;
      return { ok: false, permanent: false, mayHaveLeft: true, code: 'ECONNECTION', reason: 'closed' };
    });
    await deliverMail(app, payload, { attempt: 1, attemptsMax: 3 });
    await deliverMail(app, payload, { attempt: 2, attemptsMax: 3 });
    expect(await deliveryOf(lost)).toMatchObject({ status: 'uncertain', error: 'closed', nextAttemptAt: null });
    expect(sends).toBe(1);
  });

  test('an answer that was killed before its content was sent is sent by the next attempt', async () => {
    const cut = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: cut.messageId };
    const killed = appWith(() => Promise.reject(new Error('killed')));
    await expect(deliverMail(killed, payload, { attempt: 1, attemptsMax: 3 })).rejects.toThrow('killed');
    expect(await deliveryOf(cut)).toMatchObject({ status: 'sending', attempts: 1 });
    const before = (await house.outbox()).length;
    await deliverMail(house.app, payload, { attempt: 2, attemptsMax: 3 });
    expect(await deliveryOf(cut)).toMatchObject({ status: 'sent', attempts: 2 });
    expect(await house.outbox()).toHaveLength(before + 1);
  });

  test('an answer that was killed while its content was sent is uncertain and not sent again', async () => {
    const cut = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: cut.messageId };
    const killed = appWith(async ({ beforeContent }) => {
      await beforeContent?.();
      throw new Error('killed');
    });
    await expect(deliverMail(killed, payload, { attempt: 1, attemptsMax: 3 })).rejects.toThrow('killed');
    expect(await deliveryOf(cut)).toMatchObject({ status: 'sending' });
    const before = (await house.outbox()).length;
    await deliverMail(house.app, payload, { attempt: 2, attemptsMax: 3 });
    const delivery = await deliveryOf(cut);
    expect(delivery).toMatchObject({ status: 'uncertain', attempts: 1, nextAttemptAt: null });
    expect(delivery.error).toMatch(/whether it left is not known/);
    expect(await house.outbox()).toHaveLength(before);
  });

  test('of two concurrent attempts, the first presumed dead, only the second sends the mail', async () => {
    const slow = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: slow.messageId };
    const before = (await house.outbox()).length;
    const overtaken = appWith(async (mail) => {
      await deliverMail(house.app, payload, { attempt: 2, attemptsMax: 3 });
      return house.app.mail.send(mail);
    });
    await deliverMail(overtaken, payload, { attempt: 1, attemptsMax: 3 });
    expect(await deliveryOf(slow)).toMatchObject({ status: 'sent', attempts: 2, error: null });
    expect(await house.outbox()).toHaveLength(before + 1);
  });

  test('an uncertain answer whose attempt was still alive gets that attempt’s result', async () => {
    const late = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: late.messageId };
    const alive = appWith(async ({ beforeContent }) => {
      await beforeContent?.();
      await deliverMail(house.app, payload, { attempt: 2, attemptsMax: 3 });
      expect(await deliveryOf(late)).toMatchObject({ status: 'uncertain' });
      return { ok: true };
    });
    await deliverMail(alive, payload, { attempt: 1, attemptsMax: 3 });
    expect(await deliveryOf(late)).toMatchObject({ status: 'sent', error: null });
  });

  test('an answer that was killed at every attempt fails in the last, which sends nothing', async () => {
    const cut = await answer();
    const payload = { workspaceId: owner.workspaceId, messageId: cut.messageId };
    const killed = appWith(() => Promise.reject(new Error('killed')));
    await expect(deliverMail(killed, payload, { attempt: 2, attemptsMax: 3 })).rejects.toThrow('killed');
    const before = (await house.outbox()).length;
    await deliverMail(house.app, payload, { attempt: 3, attemptsMax: 3 });
    expect(await deliveryOf(cut)).toMatchObject({ status: 'failed' });
    expect(await house.outbox()).toHaveLength(before);
  });
});
