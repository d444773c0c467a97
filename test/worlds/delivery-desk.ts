import { expect } from 'vitest';
import type { MessageId, TicketId } from '../../src/ground/lib/ids.ts';
import { deliveryAttemptsMax } from '../../src/helpdesk/messages/queue-delivery.ts';
import type { SendOutcome } from '../../src/mail/transport.ts';
import { markBounced } from '../../src/transport/deliveries/settle-delivery.ts';
import { deliverMail } from '../../src/transport/mailflow/sending/deliver.ts';
import type { House } from '../harness/harness.ts';
import type { Person } from './factories.ts';
import { ticketOf } from './mails.ts';

export const refused: SendOutcome = { ok: false, permanent: true, code: '550', reason: '550 no such user' };
const deferred: SendOutcome = { ok: false, permanent: false, code: '451', reason: '451 later' };
const lost: SendOutcome = { ok: false, permanent: false, mayHaveLeft: true, code: 'ECONNECTION', reason: 'lost' };

/** A message that is mailed. */
export type Answered = { ticketId: TicketId; messageId: MessageId };

/** Mailed messages in every state of their delivery. */
export function deliveryDesk(house: House, owner: () => Person) {
  async function answer(input: object = {}): Promise<Answered> {
    const requester = { email: 'c@example.org' };
    const { body: ticket } = await owner().call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
    const { body } = await owner().call('POST', `/tickets/${ticket.id}/messages`, {
      body: 'x',
      sendEmail: true,
      ...input,
    });
    return { ticketId: ticket.id, messageId: body.id };
  }

  /** Runs one attempt with this outcome. */
  async function attempt({ messageId }: Answered, outcome: SendOutcome, attemptNumber = 1): Promise<void> {
    const mail = { send: async () => outcome, close: async () => {} };
    const payload = { workspaceId: owner().workspaceId, messageId };
    const job = { attempt: attemptNumber, attemptsMax: deliveryAttemptsMax };
    await deliverMail({ ...house.app, mail }, payload, job).catch(() => {});
  }

  const deliveryOf = async ({ ticketId, messageId }: Answered): Promise<any> =>
    (await ticketOf(owner(), ticketId)).messages.find(({ id }: any) => id === messageId).delivery;
  const eventsOf = async ({ ticketId }: Answered): Promise<any[]> =>
    (await owner().call('GET', `/tickets/${ticketId}/events`)).body.items;
  const steer = (verb: 'retry' | 'cancel' | 'handled', { ticketId, messageId }: Answered) =>
    owner().call('POST', `/tickets/${ticketId}/messages/${messageId}/${verb}`);
  const bounce = ({ messageId }: Answered, error = '550 5.1.1 unknown') =>
    house.app.db.tx((tx) =>
      markBounced(tx, {
        workspaceId: owner().workspaceId,
        messageId,
        error,
        bounceKind: 'hard',
        enhancedStatusCode: '5.1.1',
      }),
    );

  /** How often the message was mailed. */
  async function countSent({ messageId }: Answered): Promise<number> {
    const own = `Message-ID: <${messageId.replaceAll('-', '')}@`;
    return (await house.outbox()).filter((raw) => raw.includes(own)).length;
  }

  /** Brings a message's mail into each lasting status. */
  const ways: Record<string, (answered: Answered) => Promise<unknown>> = {
    queued: (answered) => attempt(answered, deferred),
    sent: (answered) => attempt(answered, { ok: true }),
    failed: (answered) => attempt(answered, refused),
    bounced: async (answered) => {
      await attempt(answered, { ok: true });
      await bounce(answered);
    },
    uncertain: (answered) => attempt(answered, lost),
    cancelled: (answered) => steer('cancel', answered),
    sending: async (answered) => {
      const mail = { send: () => Promise.reject(new Error('killed')), close: async () => {} };
      const payload = { workspaceId: owner().workspaceId, messageId: answered.messageId };
      await deliverMail({ ...house.app, mail }, payload, { attempt: 1, attemptsMax: 3 }).catch(() => {});
    },
  };

  async function inState(status: string): Promise<Answered> {
    const answered = await answer();
    await ways[status]?.(answered);
    expect(await deliveryOf(answered)).toMatchObject({ status });
    return answered;
  }

  return { answer, attempt, bounce, countSent, deliveryOf, eventsOf, inState, steer, ways };
}
