import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answered, deliveryDesk, refused } from '../../../test/worlds/delivery-desk.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketOf } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
const { answer, attempt, bounce, deliveryOf, eventsOf, inState, steer, ways } = deliveryDesk(house, () => owner);

beforeAll(async () => {
  owner = await makeOwner(house);
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

  test.each(['queued', 'sent', 'cancelled'])('yet, but is %s leaves the ticket closed', async (status) => {
    const answered = await answer();
    await leave(answered);
    const before = await ticketOf(owner, answered.ticketId);
    await ways[status]?.(answered);
    expect(await ticketOf(owner, answered.ticketId)).toMatchObject({
      status: 'closed',
      archivedAt: before.archivedAt,
      version: before.version + (status === 'cancelled' ? 1 : 0),
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

describe('the list of messages', () => {
  const list = async (query = '') => (await owner.call('GET', `/messages/undelivered${query}`)).body;
  const countOf = async () => (await owner.call('GET', '/counts')).body.lists.undelivered.count;
  const problemOf = async ({ ticketId }: Answered) => (await ticketOf(owner, ticketId)).deliveryProblem;

  test('has what did not arrive, newest first, by pages and by status', async () => {
    owner = await makeOwner(house);
    const made: Record<string, Answered> = {};
    for (const status of Object.keys(ways)) made[status] = await inState(status);
    const { items } = await list();
    expect(items.map(({ id }: any) => id)).toEqual(
      ['uncertain', 'bounced', 'failed'].map((status) => made[status]?.messageId),
    );
    expect(items[1]).toMatchObject({
      subject: 'Printer',
      to: ['c@example.org'],
      snippet: 'x',
      status: 'bounced',
      error: '550 5.1.1 unknown',
      bounceKind: 'hard',
      enhancedStatusCode: '5.1.1',
    });
    const first = await list('?limit=2');
    expect(first.items).toEqual(items.slice(0, 2));
    expect((await list(`?limit=2&cursor=${first.nextCursor}`)).items).toEqual(items.slice(2));
    expect((await list('?delivery=failed&delivery=uncertain')).items).toHaveLength(2);
    expect(await countOf()).toBe(3);
    await owner.call('DELETE', `/tickets/${made.failed?.ticketId}`);
    expect((await list()).items).toHaveLength(2);
    expect(await countOf()).toBe(2);
  });

  test('leaves out what a person has handled, until it fails anew', async () => {
    owner = await makeOwner(house);
    const answered = await inState('failed');
    expect(await problemOf(answered)).toBe('failed');
    const handled = await steer('handled', answered);
    expect(handled).toMatchObject({ status: 200, body: { delivery: { status: 'failed' } } });
    expect(handled.body.delivery.handledAt).not.toBeNull();
    expect(await steer('handled', answered)).toMatchObject({ body: { delivery: handled.body.delivery } });
    expect((await list()).items).toEqual([]);
    expect(await countOf()).toBe(0);
    expect((await owner.call('GET', '/tickets?delivery=failed')).body).toEqual([]);
    expect(await problemOf(answered)).toBeNull();
    expect((await eventsOf(answered)).filter(({ type }) => type === 'message.delivery_handled')).toMatchObject([
      { data: { messageId: answered.messageId }, actor: { type: 'agent', userId: owner.userId } },
    ]);

    expect((await steer('retry', answered)).body.delivery).toMatchObject({ status: 'queued', handledAt: null });
    await attempt(answered, refused);
    expect((await list()).items).toMatchObject([{ id: answered.messageId }]);
  });

  test('is changed by those who may write alone, and only where something did not arrive', async () => {
    owner = await makeOwner(house);
    const sent = await inState('sent');
    expect((await steer('handled', sent)).body.delivery).toMatchObject({ status: 'sent', handledAt: null });
    const failed = await inState('failed');
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    const refusal = await viewer.call('POST', `/tickets/${failed.ticketId}/messages/${failed.messageId}/handled`);
    expect(refusal.body.key).toBe('auth.role_insufficient');
    expect((await viewer.call('GET', '/messages/undelivered')).body.items).toHaveLength(1);
  });
});
