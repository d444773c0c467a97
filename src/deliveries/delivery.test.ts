import { beforeAll, describe, expect, test } from 'vitest';
import { makeMember, makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { ticketOf } from '../../test/mails.ts';
import { sql } from '../database/sql.ts';
import { type MessageId, newId, type TicketId } from '../lib/ids.ts';
import type { SendOutcome } from '../mail/transport.ts';
import { deliverMail } from '../mailflow/sending/deliver.ts';
import { deliveryAttemptsMax } from '../messages/queue-delivery.ts';
import { retryDelayMs } from '../queue/queue.ts';
import { requeueLostDeliveries } from './requeue-lost.ts';
import { markBounced } from './settle-delivery.ts';

const house = useHouse();
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
});

const refused: SendOutcome = { ok: false, permanent: true, code: '550', reason: '550 no such user' };
const deferred: SendOutcome = { ok: false, permanent: false, code: '451', reason: '451 later' };
const lost: SendOutcome = { ok: false, permanent: false, mayHaveLeft: true, code: 'ECONNECTION', reason: 'lost' };

type Answered = { ticketId: TicketId; messageId: MessageId };

async function answer(input: object = {}): Promise<Answered> {
  const requester = { email: 'c@example.org' };
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
  const { body } = await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'x', sendEmail: true, ...input });
  return { ticketId: ticket.id, messageId: body.id };
}

/** Runs one attempt with this outcome. */
async function attempt({ messageId }: Answered, outcome: SendOutcome, attemptNumber = 1): Promise<void> {
  const mail = { send: async () => outcome, close: async () => {} };
  const payload = { workspaceId: owner.workspaceId, messageId };
  const job = { attempt: attemptNumber, attemptsMax: deliveryAttemptsMax };
  await deliverMail({ ...house.app, mail }, payload, job).catch(() => {});
}

const deliveryOf = async ({ ticketId, messageId }: Answered): Promise<any> =>
  (await ticketOf(owner, ticketId)).messages.find(({ id }: any) => id === messageId).delivery;
const eventsOf = async ({ ticketId }: Answered): Promise<any[]> =>
  (await owner.call('GET', `/tickets/${ticketId}/events`)).body.items;
const steer = (verb: 'retry' | 'cancel', { ticketId, messageId }: Answered) =>
  owner.call('POST', `/tickets/${ticketId}/messages/${messageId}/${verb}`);
const bounce = ({ messageId }: Answered, error = '550 5.1.1 unknown') =>
  house.app.db.tx((tx) =>
    markBounced(tx, {
      workspaceId: owner.workspaceId,
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
    const payload = { workspaceId: owner.workspaceId, messageId: answered.messageId };
    await deliverMail({ ...house.app, mail }, payload, { attempt: 1, attemptsMax: 3 }).catch(() => {});
  },
};

async function inState(status: string): Promise<Answered> {
  const answered = await answer();
  await ways[status]?.(answered);
  expect(await deliveryOf(answered)).toMatchObject({ status });
  return answered;
}

test('a mail is tried for two days, at growing intervals', () => {
  const delays = Array.from({ length: deliveryAttemptsMax - 2 }, (_, index) => retryDelayMs(index + 1) / 3_600_000);
  expect(delays.reduce((sum, hours) => sum + hours)).toBeGreaterThan(48);
  expect(delays.reduce((sum, hours) => sum + hours)).toBeLessThan(56);
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
});

describe('retry', () => {
  test.each(['failed', 'bounced', 'uncertain', 'cancelled'])('of a %s mail sends it again', async (status) => {
    const answered = await inState(status);
    const { attempts } = await deliveryOf(answered);
    const { status: code, body, headers } = await steer('retry', answered);
    expect([code, body.id, headers.get('etag')]).toEqual([200, answered.messageId, expect.stringMatching(/^"\d+"$/)]);
    expect(body.delivery).toEqual({
      status: 'queued',
      error: null,
      sentAt: null,
      attempts,
      nextAttemptAt: null,
      bounceKind: null,
      enhancedStatusCode: null,
    });
    expect((await eventsOf(answered)).at(-1)).toMatchObject({
      type: 'message.delivery_changed',
      actor: { type: 'agent', userId: owner.userId },
      data: { messageId: answered.messageId, status: 'queued' },
    });
    await house.drain();
    expect(await deliveryOf(answered)).toMatchObject({ status: 'sent', attempts: attempts + 1 });
  });

  test('of a mail that waits for its next attempt sends the mail now', async () => {
    const answered = await answer({ sendAfterSeconds: 60 });
    const { status, body } = await steer('retry', answered);
    expect([status, body.delivery.nextAttemptAt]).toEqual([200, null]);
    await house.drain();
    expect(await deliveryOf(answered)).toMatchObject({ status: 'sent', attempts: 1 });
    const jobs = await house.app.db.rows(
      sql`select from graphile_worker.jobs where key = ${`mail.deliver:${answered.messageId}`}`,
    );
    expect(jobs).toEqual([]);
  });

  test.each(['queued', 'sending'])('is unnecessary when a %s mail lost its job', async (status) => {
    const answered = await inState(status);
    const { db } = house.app;
    await db.pool.query('delete from graphile_worker._private_jobs where key = $1', [
      `mail.deliver:${answered.messageId}`,
    ]);
    await db.tx((tx) => requeueLostDeliveries(tx, 100));
    await house.drain();
    // The attempt may still have been running.
    expect(await deliveryOf(answered)).toMatchObject({ status });
    await db.pool.query(
      `update messages set created_at = created_at - interval '1 hour', delivery_next_attempt_at = null where id = $1`,
      [answered.messageId],
    );
    await db.tx((tx) => requeueLostDeliveries(tx, 100));
    await house.drain();
    expect(await deliveryOf(answered)).toMatchObject({ status: 'sent' });
  });

  test.each(['sent', 'sending'])('of a mail that is %s is refused', async (status) => {
    const answer = await steer('retry', await inState(status));
    expect([answer.status, answer.body.key]).toEqual([409, 'message.already_sent']);
  });

  test('twice at once sends once', async () => {
    const answered = await inState('failed');
    const codes = await Promise.all([steer('retry', answered), steer('retry', answered)]);
    expect(codes.map(({ status }) => status)).toEqual([200, 200]);
    await house.drain();
    expect(await countSent(answered)).toBe(1);
  });
});

describe('cancel', () => {
  test('stops a mail that waits, and its job sends nothing', async () => {
    const answered = await answer();
    const { status, body } = await steer('cancel', answered);
    expect([status, body.delivery.status]).toEqual([200, 'cancelled']);
    await house.drain();
    expect(await countSent(answered)).toBe(0);
    expect(await deliveryOf(answered)).toMatchObject({ status: 'cancelled', attempts: 0, nextAttemptAt: null });
    const facts = (await eventsOf(answered)).length;
    expect((await steer('cancel', answered)).body.delivery.status).toBe('cancelled');
    expect(await eventsOf(answered)).toHaveLength(facts);
  });

  test('stops a mail between two attempts, and leaves a failed one unchanged', async () => {
    expect((await steer('cancel', await inState('queued'))).body.delivery.status).toBe('cancelled');
    const { status, body } = await steer('cancel', await inState('failed'));
    expect([status, body.delivery.status]).toEqual([200, 'failed']);
  });

  test.each(['sent', 'sending', 'bounced', 'uncertain'])('of a mail that is %s is refused', async (status) => {
    const answer = await steer('cancel', await inState(status));
    expect([answer.status, answer.body.key]).toEqual([409, 'message.already_sent']);
  });

  test('and concurrent sending end with exactly one of the two', async () => {
    for (let round = 0; round < 5; round++) {
      const answered = await answer();
      const [cancelled] = await Promise.all([steer('cancel', answered), house.drain()]);
      const { status } = await deliveryOf(answered);
      expect([cancelled.status, status]).toEqual(cancelled.status === 200 ? [200, 'cancelled'] : [409, 'sent']);
      expect(await countSent(answered)).toBe(status === 'sent' ? 1 : 0);
    }
  });
});

describe.each(['retry', 'cancel'] as const)('%s', (verb) => {
  const keyOf = async (answered: Answered) => {
    const { status, body } = await steer(verb, answered);
    return [status, body.key];
  };

  test('takes only mailed messages of this ticket', async () => {
    const one = await answer();
    const other = await answer();
    expect(await keyOf({ ...one, messageId: other.messageId })).toEqual([404, 'message.not_found']);
    expect(await keyOf({ ...one, messageId: newId() })).toEqual([404, 'message.not_found']);
    expect(await keyOf({ ...one, ticketId: newId() })).toEqual([404, 'ticket.not_found']);
    expect(await keyOf(await answer({ isInternal: true }))).toEqual([409, 'message.not_mailed']);
    expect(await keyOf(await answer({ sendEmail: false }))).toEqual([409, 'message.not_mailed']);
  });

  test('refuses a merged ticket, and works on the ticket where the message is now', async () => {
    const source = await answer();
    const target = await answer();
    await owner.call('POST', `/tickets/${source.ticketId}/merge`, { targetTicketId: target.ticketId });
    expect(await keyOf(source)).toEqual([409, 'ticket.merged']);
    expect((await steer(verb, { ...source, ticketId: target.ticketId })).status).toBe(200);
  });

  test('is forbidden to viewers and to other workspaces', async () => {
    const answered = await answer();
    const path = `/tickets/${answered.ticketId}/messages/${answered.messageId}/${verb}`;
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    expect((await viewer.call('POST', path)).status).toBe(403);
    expect((await (await makeOwner(house)).call('POST', path)).status).toBe(404);
  });
});

describe('a mail that did not arrive', () => {
  const leave = async ({ ticketId }: Answered) => {
    await owner.call('POST', `/tickets/${ticketId}/status`, { toStatus: 'closed' });
    await owner.call('POST', `/tickets/${ticketId}/archive`);
    const snoozedUntil = new Date(house.clock.now().getTime() + 3_600_000).toISOString();
    await owner.call('PATCH', `/tickets/${ticketId}`, { snoozedUntil });
  };

  test.each(['failed', 'bounced', 'uncertain'])('but %s reopens its ticket', async (status) => {
    const answered = await answer();
    await leave(answered);
    const { version } = await ticketOf(owner, answered.ticketId);
    await ways[status]?.(answered);
    const ticket = await ticketOf(owner, answered.ticketId);
    expect(ticket).toMatchObject({ status: 'open', archivedAt: null, snoozedUntil: null, version: version + 1 });
    const events = (await eventsOf(answered)).slice(-4);
    expect(events.map(({ type, data, actor }) => [type, data, actor.type])).toEqual([
      ['message.delivery_changed', { messageId: answered.messageId, status }, 'system'],
      ['ticket.woken', { by: 'delivery' }, 'system'],
      ['ticket.status_changed', { from: 'closed', to: 'open', reason: null }, 'system'],
      ['ticket.unarchived', {}, 'system'],
    ]);
  });

  test.each(['queued', 'sent', 'cancelled'])('yet, but is %s leaves the ticket unchanged', async (status) => {
    const answered = await answer();
    await leave(answered);
    const before = await ticketOf(owner, answered.ticketId);
    await ways[status]?.(answered);
    expect(await ticketOf(owner, answered.ticketId)).toMatchObject({
      status: 'closed',
      archivedAt: before.archivedAt,
      version: before.version,
    });
  });

  test('reopens the ticket where the message is now', async () => {
    const source = await answer();
    const target = await answer();
    await owner.call('POST', `/tickets/${source.ticketId}/merge`, { targetTicketId: target.ticketId });
    await leave(target);
    await attempt(source, refused);
    expect(await ticketOf(owner, target.ticketId)).toMatchObject({ status: 'open', archivedAt: null });
    expect((await ticketOf(owner, source.ticketId)).status).toBe('closed');
  });
});

describe('a bounce', () => {
  test('of a mail that left, or may have left, is recorded once with its reason', async () => {
    for (const status of ['sent', 'uncertain', 'sending']) {
      const answered = await inState(status);
      expect(await bounce(answered)).toBe(true);
      expect(await deliveryOf(answered)).toMatchObject({ status: 'bounced', error: '550 5.1.1 unknown' });
      const facts = (await eventsOf(answered)).length;
      expect(await bounce(answered, 'another')).toBe(false);
      expect(await deliveryOf(answered)).toMatchObject({ status: 'bounced', error: '550 5.1.1 unknown' });
      expect(await eventsOf(answered)).toHaveLength(facts);
    }
  });

  test('of a mail that did not leave changes nothing', async () => {
    for (const status of ['queued', 'failed', 'cancelled']) expect(await bounce(await inState(status))).toBe(false);
    expect(await bounce({ ticketId: newId(), messageId: newId() })).toBe(false);
  });
});

describe('the list', () => {
  test('finds tickets by the delivery status of their mail', async () => {
    owner = await makeOwner(house);
    const ids: Record<string, string> = {};
    for (const status of Object.keys(ways)) ids[status] = (await inState(status)).ticketId;
    await owner.call('POST', '/tickets', { subject: 'none', body: 'b' });
    const find = async (query: string) => {
      const { body, headers } = await owner.call('GET', `/tickets?${query}`);
      expect(headers.get('x-total-count')).toBe(String(body.length));
      return body.map(({ id }: any) => id).toSorted();
    };
    for (const [status, id] of Object.entries(ids)) expect(await find(`delivery=${status}`)).toEqual([id]);
    expect(await find('delivery=failed&delivery=bounced&delivery=sent')).toEqual(
      [ids.failed, ids.bounced, ids.sent].toSorted(),
    );
    expect(await find('delivery=failed&status=closed')).toEqual([]);
    expect((await owner.call('GET', '/tickets?delivery=lost')).status).toBe(400);
  });
});
