import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember } from '../../../test/worlds/factories.ts';
import { useScheduledDesk } from '../../../test/worlds/scheduled-desk.ts';
import { sql } from '../../ground/database/sql.ts';
import { requeueLostDeliveries } from './requeue-lost.ts';
import { settleDelivery } from './settle-delivery.ts';

/** An answer that leaves later, at its time. */

const house = useHouse();
const desk = useScheduledDesk(house);
const { schedule, named, comeDue, putForward, steer, read, deliveryOf, listed, shown } = desk;

describe('at its time', () => {
  test('it leaves once, and is the newest of its ticket', async () => {
    const message = await schedule();
    await desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/messages`, { body: 'Called her.', isInternal: true });
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(await shown()).toMatchObject({ waitingSince: null, lastMessage: { id: message.id }, messageCount: 3 });
    expect((await read()).messages.at(-1)).toMatchObject({ id: message.id });
    await desk.attempt(named(message), { ok: true });
    expect(await deliveryOf(message)).toMatchObject({ attempts: 1 });
    const { body } = await desk.owner.call('GET', '/tickets?search=Off%20on&sort=lastMessageAt');
    expect(body.map(({ id }: any) => id)).toContain(desk.now.ticket.id);
  });

  test('or before, if somebody sends it now', async () => {
    const message = await schedule();
    const { body } = await steer('retry', message, desk.owner);
    expect(body.delivery).toMatchObject({ status: 'queued', nextAttemptAt: null });
    expect(await shown()).toMatchObject({ waitingSince: null, lastMessage: { id: message.id } });
    await house.drain();
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test('a colleague’s answer that has not seen it is held back', async () => {
    const message = await schedule();
    const lastSeenMessageId = message.id;
    await comeDue(message);
    const answer = { body: 'Hello', sendEmail: true };
    const [{ id }] = desk.now.ticket.messages ?? (await read()).messages;
    const refused = await desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/messages`, {
      ...answer,
      lastSeenMessageId: id,
    });
    expect(refused.body).toMatchObject({ key: 'ticket.newer_message', params: { messageId: message.id } });
    const seen = await desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/messages`, {
      ...answer,
      lastSeenMessageId,
    });
    expect(seen.status).toBe(201);
  });

  test('it leaves though its job is lost', async () => {
    const message = await schedule();
    await house.app.db.tx((tx) =>
      tx.run(sql`delete from graphile_worker._private_jobs where key = ${`mail.deliver:${message.id}`}`),
    );
    const requeue = () => house.app.db.tx((tx) => requeueLostDeliveries(tx, 100));
    await requeue();
    await putForward(message);
    expect(await requeue()).toBeGreaterThan(0);
    await house.drain();
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test('by the clock of another process alone, it waits on', async () => {
    const message = await schedule();
    const key = `mail.deliver:${message.id}`;
    await house.app.db.tx((tx) => tx.run(sql`delete from graphile_worker._private_jobs where key = ${key}`));
    await desk.attempt(named(message), { ok: true });
    const jobs = await house.app.db.rows(sql`
      select run_at > now() + interval '11 hours' as "isLater" from graphile_worker._private_jobs where key = ${key}`);
    expect(jobs).toEqual([{ isLater: true }]);
  });

  test('nobody sends it from spam', async () => {
    const message = await schedule();
    await desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/spam`);
    expect((await steer('retry', message)).body.key).toBe('ticket.spam');
  });

  test('it leaves though its author has left', async () => {
    const ben = await makeMember(house, desk.owner.workspaceId, 'agent');
    const message = await schedule({}, ben);
    await desk.owner.call('DELETE', `/members/${ben.userId}`);
    expect((await listed()).items.map(({ id }: any) => id)).toContain(message.id);
    await comeDue(message);
    expect(await deliveryOf(message)).toMatchObject({ status: 'sent' });
  });

  test.each([
    ['the trash', () => desk.owner.call('DELETE', `/tickets/${desk.now.ticket.id}`)],
    ['spam', () => desk.owner.call('POST', `/tickets/${desk.now.ticket.id}/spam`)],
  ])('it does not leave from %s: its text is a draft again', async (_, move) => {
    const message = await schedule();
    await move();
    await comeDue(message);
    expect(await desk.countSent(named(message))).toBe(0);
    const stored = await house.app.db.rows(sql`
      select d.body, n.title
      from drafts d
      join notifications n on n.workspace_id = d.workspace_id and n.reference_id = d.ticket_id
      where d.workspace_id = ${desk.owner.workspaceId} and d.ticket_id = ${desk.now.ticket.id}
        and n.user_id = ${desk.ann.userId}`);
    const title = expect.stringMatching(/^Your scheduled reply in .* was not sent$/);
    expect(stored).toEqual([{ body: 'Off and on?', title }]);
  });
});

test('in a copy of the service it may have left already, so a person decides, and it counts again', async () => {
  const message = await schedule({ thenStatus: 'closed' });
  const delivery = { workspaceId: desk.owner.workspaceId, messageId: message.id };
  await house.app.db.tx((tx) => settleDelivery(tx, delivery, 'doubt', { error: 'restored' }));
  await comeDue(message);
  expect(await deliveryOf(message)).toMatchObject({ status: 'uncertain', error: 'restored', attempts: 0 });
  expect(await shown()).toMatchObject({ status: 'open', messageCount: 2, lastMessage: { id: message.id } });
});
