import { expect, test } from 'vitest';
import { makeOwner } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { makeHook } from '../../test/integrator.ts';
import { useReceiver } from '../../test/receiver.ts';
import { takeJobs } from '../../test/webhook-house.ts';
import { openLog } from '../platform/log.ts';
import { startQueue } from '../queue/queue.ts';
import { jobHandlers } from '../worker.ts';
import { dispatchUnread } from './dispatch-unread.ts';
import { wakeDispatch } from './wake-dispatch.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();

test('a change queues no dispatch job itself, and a workspace without webhooks gets none', async () => {
  const [hook, stranger] = [await makeHook(house, receiver), await makeOwner(house)];
  await takeJobs(house);
  await hook.makeTicket();
  await stranger.call('POST', '/tickets', { subject: 's', body: 'b' });
  expect(await takeJobs(house)).toEqual([]);
  await house.app.db.tx((tx) => dispatchUnread(tx, null));
  expect(await takeJobs(house)).toEqual([`webhook.dispatch:${hook.owner.workspaceId}`]);
});

test('a fact is sent as soon as it is committed', async () => {
  const hook = await makeHook(house, receiver);
  const { db } = house.app;
  const log = openLog('silent');
  const waking = wakeDispatch({ ...house.app, log });
  const queue = await startQueue({ db, log, handlers: jobHandlers(house.app), crontab: [], concurrency: 2 });
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
    await waking.stop();
    await queue.stop();
  }
});
