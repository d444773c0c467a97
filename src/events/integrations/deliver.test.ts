import { afterEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { findLockWaits } from '../../../test/harness/lock-waits.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { makeMember } from '../../../test/worlds/factories.ts';
import {
  type Hook,
  idsOf,
  makeHook,
  signatureOf,
  signaturesOn,
  typesOf,
  verify,
} from '../../../test/worlds/integrator.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { deliverToWebhook } from './deliver.ts';
import { dispatchFacts } from './dispatch.ts';
import type { WebhookKey } from './queries.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();
afterEach(() => {
  receiver.answer = 200;
  receiver.received.length = 0;
});
const hookOf = (input?: object): Promise<Hook> => makeHook(house, receiver, input);
const dispatch = (webhook: WebhookKey) => house.app.db.tx((tx) => dispatchFacts(tx, webhook));

describe('an event', () => {
  test('is sent once, and the scheme’s own library verifies it', async () => {
    const hook = await hookOf();
    const ticketId = await hook.makeTicket();
    await hook.happen();
    await hook.happen();
    const [event, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(verify(hook.secret, event!)).toEqual({
      type: 'ticket.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        id: expect.any(String),
        workspaceId: hook.owner.workspaceId,
        actor: { type: 'agent', userId: hook.owner.userId },
        ticket: { id: ticketId, ticketNumber: 1, status: 'open', priority: 'normal', assigneeId: null },
        details: { channel: 'api' },
      },
    });
    expect(() => verify(hook.secret, { ...event!, body: event!.body.replace('open', 'shut') })).toThrow();
    expect(event?.body).not.toContain('It broke');
    expect(await hook.deliveries()).toEqual([
      {
        id: event?.headers['webhook-id'],
        type: 'ticket.created',
        eventId: JSON.parse(event!.body).data.id,
        status: 'delivered',
        attempts: 1,
        nextAttemptAt: null,
        responseStatus: 200,
        error: null,
        createdAt: expect.any(String),
        settledAt: expect.any(String),
      },
    ]);
  });

  test('is sent to the webhooks that select it, from their creation on', async () => {
    const hook = await hookOf({ events: ['ticket.tagged'] });
    const tag = async (ticketId: TicketId, ...tags: string[]) => {
      await hook.owner.call('PATCH', `/tickets/${ticketId}`, { tags });
      await hook.happen();
    };
    const ticketId = await hook.makeTicket();
    await tag(ticketId, 'vip');
    expect(typesOf(receiver.received)).toEqual(['ticket.tagged']);
    await hook.ask('PATCH', '', { status: 'disabled' });
    await tag(ticketId);
    await hook.ask('PATCH', '', { status: 'active' });
    await hook.happen();
    expect(receiver.received).toHaveLength(1);
    await tag(ticketId, 'again');
    expect(JSON.parse(receiver.received[1]?.body ?? '').data.details).toEqual({ added: ['again'], removed: [] });
  });

  test('is not lost behind a slow commit, and waits for it', async () => {
    const hook = await hookOf();
    const { workspaceId } = hook.owner;
    const { promise: isSlow, resolve: beginSlow } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const slow = house.app.db.tx(async (tx) => {
      await tx.run(sql`
        insert into activity (workspace_id, id, type, actor_type, data, created_at)
        values (${workspaceId}, ${tx.newId()}, 'ticket.archived', 'system', '{}', ${tx.now})`);
      beginSlow();
      await mayCommit;
    });
    await isSlow;
    await hook.makeTicket();
    await dispatch({ workspaceId, webhookId: hook.id });
    await house.drain();
    expect(receiver.received).toEqual([]);
    commit();
    await slow;
    await hook.happen();
    expect(typesOf(receiver.received).sort()).toEqual(['ticket.archived', 'ticket.created']);
  });

  test('is not skipped by a worker that waited while another read further', async () => {
    const hook = await hookOf({ events: ['ticket.created'] });
    const { workspaceId } = hook.owner;
    const waiting = await house.app.db.tx(async (tx) => {
      const lock = sql`select from webhooks where workspace_id = ${workspaceId} and id = ${hook.id} for no key update`;
      await tx.run(lock);
      const dispatching = dispatch({ workspaceId, webhookId: hook.id });
      while (!(await findLockWaits(house.databaseUrl)).some((query) => query.includes('read_id')));
      const ticketId = await hook.makeTicket();
      await hook.makeTicket();
      await tx.run(sql`
        update webhooks set (read_transaction_id, read_id) = (
          select transaction_id, id from activity
          where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and type = 'ticket.created')
        where workspace_id = ${workspaceId} and id = ${hook.id}`);
      return { dispatching };
    });
    await waiting.dispatching;
    await hook.happen();
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.ticket.ticketNumber)).toEqual([2]);
  });

  test('is turned into deliveries, and sent, once by several workers', async () => {
    const hook = await hookOf();
    const webhook = { workspaceId: hook.owner.workspaceId, webhookId: hook.id };
    for (let count = 0; count < 6; count++) await hook.makeTicket();
    await hook.untilCertain();
    await Promise.all([1, 2, 3].map(() => dispatch(webhook)));
    await Promise.all([1, 2, 3].map(() => deliverToWebhook(house.app, webhook)));
    await house.drain();
    expect([receiver.received.length, new Set(idsOf(receiver.received)).size]).toEqual([6, 6]);
  });

  test('of a large backlog is sent before all others are read, and none is left out', async () => {
    const hook = await hookOf({ events: ['ticket.archived'] });
    const { workspaceId } = hook.owner;
    const add = (type: string, count: number) =>
      house.app.db.tx((tx) =>
        tx.run(sql`
          insert into activity (workspace_id, id, type, actor_type, data, created_at)
          select ${workspaceId}, gen_random_uuid(), ${type}, 'system', '{}', ${tx.now}
          from generate_series(1, ${count}::int)`),
      );
    await add('ticket.archived', 1);
    await add('ticket.tagged', 1_500);
    await add('ticket.archived', 1);
    await hook.happen();
    expect(receiver.received).toHaveLength(1);
    await house.drain();
    expect(receiver.received).toHaveLength(2);
  });

  test('is sent by one worker, and another that finds the webhook locked does not wait', async () => {
    const hook = await hookOf();
    const { workspaceId } = hook.owner;
    await hook.makeTicket();
    await hook.untilCertain();
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`select from webhooks where workspace_id = ${workspaceId} and id = ${hook.id} for no key update`);
      await deliverToWebhook(house.app, { workspaceId, webhookId: hook.id });
    });
    expect(receiver.received).toEqual([]);
    await house.drain();
    expect(receiver.received).toHaveLength(1);
  });

  test('is sent though its hint was lost', async () => {
    const hook = await hookOf();
    await hook.makeTicket();
    await hook.untilCertain();
    await house.drain();
    expect(receiver.received).toHaveLength(1);
    await hook.ask('POST', '/test');
    await house.drain();
    expect(typesOf(receiver.received)).toEqual(['ticket.created', 'webhook.test']);
  });
});

describe('a webhook', () => {
  test('sends test events and repeats deliveries on request', async () => {
    const hook = await hookOf({ events: ['ticket.archived'] });
    const asked = await hook.ask('POST', '/test');
    expect([asked.status, asked.body]).toEqual([202, { deliveryId: expect.any(String) }]);
    await house.drain();
    const { deliveryId } = asked.body;
    const again = await hook.ask('POST', `/deliveries/${deliveryId}/redeliver`);
    expect([again.status, again.body]).toMatchObject([202, { id: deliveryId, status: 'pending', eventId: null }]);
    await house.drain();
    expect(idsOf(receiver.received)).toEqual([deliveryId, deliveryId]);
    for (const received of receiver.received)
      expect(verify(hook.secret, received)).toMatchObject({ type: 'webhook.test', data: { webhookId: hook.id } });
    const foreign = await (await hookOf()).ask('POST', `/deliveries/${deliveryId}/redeliver`);
    expect([foreign.status, foreign.body.key]).toEqual([404, 'webhook.delivery_not_found']);
  });

  test('lists its deliveries page by page, newest first', async () => {
    const hook = await hookOf();
    for (let count = 0; count < 5; count++) await hook.ask('POST', '/test');
    await house.drain();
    const list = async (query: string) => (await hook.ask('GET', `/deliveries?limit=3${query}`)).body;
    const first = await list('');
    const second = await list(`&cursor=${first.nextCursor}`);
    const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    expect([ids.length, ids, second.nextCursor]).toEqual([5, ids.toSorted().reverse(), undefined]);
    expect(await list('&status=failed')).toEqual({ items: [] });
    expect((await list('&cursor=x')).key).toBe('request.invalid');
  });

  test('signs with the previous secret besides the new one', async () => {
    const hook = await hookOf();
    const rotated = await hook.ask('POST', '/rotate-secret');
    expect([rotated.status, rotated.body.previousSecretUntil]).toEqual([200, expect.any(String)]);
    await hook.ask('POST', '/test');
    await house.drain();
    const [received] = receiver.received;
    for (const secret of [hook.secret, rotated.body.secret])
      expect(verify(secret, received!)).toMatchObject({ type: 'webhook.test' });
    expect(signaturesOn(received!)).toEqual(
      [rotated.body.secret, hook.secret].map((key) => signatureOf(key, received!)),
    );
    const entries = (await hook.owner.call('GET', '/audit?type=webhook.secret_rotated')).body.items;
    expect(entries).toMatchObject([{ subject: { type: 'webhook', id: hook.id } }]);
  });

  test('is disabled at once when its receiver is gone, and owners and admins are told', async () => {
    const hook = await hookOf();
    const { workspaceId } = hook.owner;
    const admin = await makeMember(house, workspaceId, 'admin');
    await makeMember(house, workspaceId, 'agent');
    receiver.answer = 410;
    await hook.ask('POST', '/test');
    await house.drain();
    expect((await hook.ask('GET')).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'The receiver answered that it is gone (410).',
    });
    const mails = (await house.outbox()).filter((mail) => mail.includes('A webhook of Support was disabled'));
    const told = mails.map((mail) => /^To: (\S+)/m.exec(mail)?.[1]);
    expect(told.sort()).toEqual([admin.email, hook.owner.email].sort());
    expect(mails[0]).toContain(`\r\n${receiver.url}\r\n`);
    const entries = (await hook.owner.call('GET', '/audit?type=webhook.disabled')).body.items;
    const data = { origin: receiver.url, reason: 'gone' };
    expect(entries).toMatchObject([{ actor: null, subject: { type: 'webhook', id: hook.id }, data }]);
    expect((await hook.ask('POST', '/test')).body.key).toBe('webhook.disabled');
    expect(await hook.deliveries()).toMatchObject([{ status: 'failed', responseStatus: 410 }]);
  });

  test('that is disabled or deleted loses all its waiting deliveries, however many', async () => {
    const hook = await hookOf();
    const { workspaceId } = hook.owner;
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into webhook_deliveries
          (workspace_id, id, webhook_id, type, payload, status, next_attempt_at, created_at)
        select ${workspaceId}, gen_random_uuid(), ${hook.id}, 'webhook.test', '{}', 'pending',
          now() + interval '1 hour', now()
        from generate_series(1, 10001)`),
    );
    const count = () =>
      house.app.db.one<{ pending: number; failed: number }>(sql`
        select count(*) filter (where status = 'pending') as pending,
          count(*) filter (where status = 'failed') as failed
        from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${hook.id}`);
    await hook.ask('PATCH', '', { status: 'disabled' });
    expect(await count()).toEqual({ pending: 5001, failed: 5000 });
    await house.drain();
    expect(await count()).toEqual({ pending: 0, failed: 10001 });
    await hook.ask('DELETE');
    await house.drain();
    expect(await count()).toEqual({ pending: 0, failed: 0 });
  });

  test('sends all waiting deliveries at once when its address changes', async () => {
    const hook = await hookOf();
    receiver.answer = 500;
    for (let count = 0; count < 2; count++) await hook.makeTicket();
    await hook.happen();
    receiver.answer = 200;
    await hook.ask('PATCH', '', { url: `${receiver.url}/new` });
    await house.drain();
    expect(await hook.deliveries('?status=delivered')).toHaveLength(2);
  });
});
