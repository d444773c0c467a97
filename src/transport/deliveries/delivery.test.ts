import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answered, deliveryDesk } from '../../../test/worlds/delivery-desk.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { retryDelayMs } from '../../ground/queue/queue.ts';
import { deliveryAttemptsMax } from '../../helpdesk/messages/queue-delivery.ts';
import { requeueLostDeliveries } from './requeue-lost.ts';

const house = useHouse();
let owner: Person;
const { answer, countSent, deliveryOf, eventsOf, inState, steer } = deliveryDesk(house, () => owner);

beforeAll(async () => {
  owner = await makeOwner(house);
});

test('a mail is tried for two days, at growing intervals', () => {
  const delays = Array.from({ length: deliveryAttemptsMax - 2 }, (_, index) => retryDelayMs(index + 1) / 3_600_000);
  expect(delays.reduce((sum, hours) => sum + hours)).toBeGreaterThan(48);
  expect(delays.reduce((sum, hours) => sum + hours)).toBeLessThan(56);
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
});

test('the first mail that leaves marks the workspace as answered', async () => {
  const person = await makeOwner(house);
  const desk = deliveryDesk(house, () => person);
  const hasAnswered = async () => (await person.call('GET', '')).body.hasAnswered;
  await desk.answer({ sendAfterSeconds: 60 });
  await house.drain();
  expect(await hasAnswered()).toBe(false);
  await desk.answer();
  await house.drain();
  expect(await hasAnswered()).toBe(true);
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
      isFile: false,
      bounceKind: null,
      enhancedStatusCode: null,
      handledAt: null,
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
    await db.tx((tx) =>
      tx.run(sql`
        update messages set created_at = ${earlier(sql`created_at`, '1 hour')}, delivery_next_attempt_at = null
        where id = ${answered.messageId}`),
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
