import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { makeHook } from '../../../test/worlds/integrator.ts';
import { takeJobs } from '../../../test/worlds/webhook-house.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { startDueWork } from '../../ground/queue/due-work.ts';
import { dueKinds } from '../../worker.ts';
import { listDueWebhooks } from './list-due.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();
const due = async () =>
  (
    await listDueWebhooks(house.app.db, {
      now: house.clock.now(),
      within: () => emptySql,
      except: () => emptySql,
      rowsMax: 10,
    })
  ).map(({ id }) => id);

test('a change queues no job: it makes the webhooks of its workspace due, until they have read it', async () => {
  const [hook, stranger] = [await makeHook(house, receiver, { events: ['ticket.merged'] }), await makeOwner(house)];
  await takeJobs(house);
  await hook.makeTicket();
  await stranger.call('POST', '/tickets', { subject: 's', body: 'b' });
  await hook.untilCertain();
  expect(await takeJobs(house)).toEqual([]);
  expect(await due()).toEqual([hook.id]);
  await house.drain();
  expect(await due()).toEqual([]);
});

test('a webhook is due while it has a due delivery, and neither pauses nor has a sender', async () => {
  const hook = await makeHook(house, receiver);
  const set = (column: typeof emptySql, seconds: number) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update webhooks set ${column} = now() + make_interval(secs => ${seconds})
        where workspace_id = ${hook.owner.workspaceId} and id = ${hook.id}`),
    );
  await hook.ask('POST', '/test');
  expect(await due()).toEqual([hook.id]);
  for (const column of [sql`paused_until`, sql`lease_until`]) {
    await set(column, 60);
    expect(await due()).toEqual([]);
    await set(column, -1);
    expect(await due()).toEqual([hook.id]);
  }
  await hook.ask('PATCH', '', { status: 'disabled' });
  expect(await due()).toEqual([]);
});

test('a webhook whose position is ahead of the server begins anew', async () => {
  const hook = await makeHook(house, receiver);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update webhooks set read_transaction_id = (read_transaction_id::text::bigint + 1000000)::text::xid8
      where workspace_id = ${hook.owner.workspaceId} and id = ${hook.id}`),
  );
  await house.drain();
  receiver.received.length = 0;
  await hook.makeTicket();
  await hook.happen();
  expect(receiver.received).toHaveLength(1);
});

test('a fact is sent as soon as it is committed', async () => {
  const hook = await makeHook(house, receiver);
  receiver.received.length = 0;
  const working = dueKinds(house.app).map((kind) => startDueWork(house.app, kind));
  try {
    const { promise: isReceived, resolve } = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      response.end();
      resolve();
    };
    await hook.makeTicket();
    await isReceived;
    expect(receiver.received).toHaveLength(1);
  } finally {
    await Promise.all(working.map(({ stop }) => stop()));
  }
});
