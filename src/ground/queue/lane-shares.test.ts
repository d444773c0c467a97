import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type MessageId, newId, type WorkspaceId } from '../lib/ids.ts';
import { enqueue } from './enqueue.ts';
import { type JobHandlers, startQueue } from './queue.ts';

const house = useHouse();

/** A lane of eight workers, whose jobs run until `endOneOf` or `close`. */
async function openLane() {
  const { db, log } = house.app;
  const running: { workspaceId: WorkspaceId; end: () => void }[] = [];
  const handlers = {
    'mail.deliver': async ({ workspaceId }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push({ workspaceId, end: resolve });
      await promise;
    },
  } as Partial<JobHandlers> as JobHandlers;
  const lanes = [{ jobs: ['mail.deliver'], concurrency: 8 }] as const;
  const queue = await startQueue({ db, log, handlers, crontab: [], concurrency: 1, lanes });
  return {
    order: async (workspaceId: WorkspaceId, count: number) => {
      await db.tx(async (tx) => {
        for (let added = 0; added < count; added++)
          await enqueue(tx, 'mail.deliver', { workspaceId, messageId: newId<MessageId>() }, { key: newId() });
      });
    },
    runningOf: (workspaceId: WorkspaceId) => running.filter((job) => job.workspaceId === workspaceId).length,
    endOneOf: (workspaceId: WorkspaceId) => {
      const at = running.findIndex((job) => job.workspaceId === workspaceId);
      running.splice(at, 1)[0]?.end();
    },
    close: async () => {
      await db.pool.query('delete from graphile_worker._private_jobs where locked_at is null');
      const stopped = queue.stop();
      for (const { end } of running) end();
      await stopped;
    },
  };
}

test('a workspace gets at most half of a lane, and a new one gets a worker at the latest when a job ends', async () => {
  const lane = await openLane();
  const [noisy, second, third, fourth, fifth] = Array.from({ length: 5 }, () => newId()) as [
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
  ];
  await lane.order(noisy, 50);
  await expect.poll(() => lane.runningOf(noisy)).toBe(4);
  await lane.order(second, 50);
  await expect.poll(() => lane.runningOf(second)).toBe(2);
  await lane.order(third, 50);
  await expect.poll(() => lane.runningOf(third)).toBe(1);
  await lane.order(fourth, 50);
  await expect.poll(() => lane.runningOf(fourth)).toBe(1);
  expect([noisy, second, third].map(lane.runningOf)).toEqual([4, 2, 1]);
  await lane.order(fifth, 1);
  lane.endOneOf(noisy);
  await expect.poll(() => lane.runningOf(fifth)).toBe(1);
  expect([noisy, second, third, fourth].map(lane.runningOf)).toEqual([3, 2, 1, 1]);
  await lane.close();
});
