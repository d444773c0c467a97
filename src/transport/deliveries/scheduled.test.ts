import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { useScheduledDesk } from '../../../test/worlds/scheduled-desk.ts';
import { sql } from '../../ground/database/sql.ts';

/** An answer that leaves later, until its time. */

const house = useHouse();
const desk = useScheduledDesk(house);
const { later, post, schedule, named, comeDue, steer, read, deliveryOf, toldOf, shown } = desk;

describe('until its time', () => {
  test('it has answered nobody, and its ticket shows it', async () => {
    const before = await shown();
    const message = await schedule();
    expect(message.delivery).toMatchObject({ status: 'scheduled', unlessReplied: true });
    expect(await shown()).toEqual(before);
    await desk.attempt(named(message), { ok: true });
    expect(await deliveryOf(message)).toMatchObject({ status: 'scheduled', attempts: 0 });
    expect((await desk.owner.call('GET', '/tickets?delivery=scheduled')).body.map(({ id }: any) => id)).toContain(
      desk.now.ticket.id,
    );
  });

  test('its author’s choices for the ticket count at once', async () => {
    const { waitingSince } = desk.now.ticket;
    await schedule({ thenStatus: 'pending' });
    expect(await shown()).toMatchObject({ status: 'pending', waitingSince });
  });

  test('nobody is told that a colleague has answered', async () => {
    await desk.owner.call('PATCH', `/tickets/${desk.now.ticket.id}`, { assigneeId: desk.owner.userId });
    const types = { colleague: { inApp: true } };
    await desk.owner.call('PATCH', '/v1/me/notification-preferences', { types });
    const message = await schedule();
    expect(await toldOf(desk.owner)).toEqual([]);
    await comeDue(message);
    expect(await toldOf(desk.owner)).toEqual([expect.stringContaining('A teammate replied')]);
  });

  test('everybody finds it in the list, those first that leave first', async () => {
    const person = await makeOwner(house);
    const requester = { email: 'c@example.org' };
    const { body } = await person.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
    const add = async (sendAt: string) =>
      (await person.call('POST', `/tickets/${body.id}/messages`, { body: 'x', sendEmail: true, sendAt })).body.id;
    const [second, first, third] = [await add(later(5)), await add(later(2)), await add(later(9))];
    const list = async (query = '') => (await person.call('GET', `/messages/scheduled${query}`)).body;
    const { items } = await list();
    expect(items.map(({ id }: any) => id)).toEqual([first, second, third]);
    expect(items[0]).toMatchObject({ ticketId: body.id, subject: 'Printer', to: ['c@example.org'], snippet: 'x' });
    const page = await list('?limit=2');
    expect((await list(`?limit=2&cursor=${page.nextCursor}`)).items).toEqual(items.slice(2));
    expect((await person.call('GET', '/counts')).body.lists.scheduled.count).toBe(3);
    await person.call('DELETE', `/tickets/${body.id}`);
    expect((await list()).items).toEqual([]);
    expect((await person.call('GET', '/messages/scheduled?cursor=x')).status).toBe(400);
  });

  test('its time changes', async () => {
    const message = await schedule();
    const sendAt = later(48);
    const { status, body } = await steer('reschedule', message, desk.owner, { sendAt });
    expect([status, body.delivery.nextAttemptAt]).toEqual([200, sendAt]);
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'scheduled' });
    expect((await steer('reschedule', message, desk.owner, { sendAt: later(-1) })).status).toBe(400);
    await steer('cancel', message);
    expect((await steer('reschedule', message, desk.owner, { sendAt: later() })).body.key).toBe(
      'message.not_scheduled',
    );
  });
});

test('the mail of a new ticket waits too', async () => {
  const body = { subject: 'Hello', body: 'Hi.', sendEmail: true, toAddresses: ['cy@example.org'], sendAt: later() };
  desk.now.ticket = (await desk.ann.call('POST', '/tickets', body)).body;
  const [message] = (await read()).messages;
  expect(await shown()).toMatchObject({ messageCount: 0, lastMessage: null });
  await comeDue(message);
  expect(await shown()).toMatchObject({ messageCount: 1, lastMessage: { id: message.id } });
});

test.each([
  ['in the past', { sendAt: '2020-01-01T00:00:00Z' }, 'not_within_days'],
  ['in half a year', { sendAt: () => later(24 * 180) }, 'not_within_days'],
  ['beside seconds', { sendAfterSeconds: 0 }, 'not_with_seconds'],
  ['without a mail', { sendEmail: false }, 'not_mailed'],
  ['for a note', { isInternal: true }, 'not_mailed'],
])('a time %s is refused', async (_, input: any, key) => {
  const sendAt = typeof input.sendAt === 'function' ? input.sendAt() : (input.sendAt ?? later());
  const { status, body } = await post({ ...input, sendAt });
  expect([status, body.params?.issues?.[0]]).toMatchObject([400, { path: 'body.sendAt', key }]);
});

test('a workspace schedules a thousand', async () => {
  const person = await makeOwner(house);
  const requester = { email: 'c@example.org' };
  const { body } = await person.call('POST', '/tickets', { subject: 'Printer', body: 'b', requester });
  const message = { body: 'x', sendEmail: true, sendAt: later() };
  expect((await person.call('POST', `/tickets/${body.id}/messages`, message)).status).toBe(201);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into messages (workspace_id, id, ticket_id, direction, author_type, body, delivery_status, created_at)
      select workspace_id, gen_random_uuid(), ticket_id, 'outbound', 'agent', 'x', 'scheduled', created_at
      from messages, generate_series(1, 999)
      where workspace_id = ${person.workspaceId} and delivery_status = 'scheduled'`),
  );
  expect(await person.call('POST', `/tickets/${body.id}/messages`, message)).toMatchObject({
    status: 409,
    body: { key: 'message.too_many_scheduled' },
  });
});
