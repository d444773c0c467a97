import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { inventedId } from '../../../test/worlds/factories.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, WorkspaceId } from '../lib/ids.ts';
import { correlation } from '../platform/correlation.ts';
import { openLog } from '../platform/log.ts';
import { enqueue } from './enqueue.ts';
import { drainQueue, type JobHandlers, startQueue } from './queue.ts';
import { heartbeat } from './queue-tables.ts';

const house = useHouse();
const payload = {
  workspaceId: inventedId<WorkspaceId>('0190a000-0000-7000-8000-000000000001'),
  messageId: inventedId<MessageId>('0190a000-0000-7000-8000-000000000002'),
};

function handlersThat(deliver: JobHandlers['mail.deliver']): JobHandlers {
  return { 'mail.deliver': deliver } as Partial<JobHandlers> as JobHandlers;
}

test('a job runs if, and only if, the transaction that added it commits', async () => {
  const { db, log } = house.app;
  const seen: unknown[] = [];
  await db
    .tx(async (tx) => {
      await enqueue(tx, 'mail.deliver', payload);
      throw new Error('rolled back');
    })
    .catch(() => {});
  await correlation.run('asked-for-it', () => db.tx((tx) => enqueue(tx, 'mail.deliver', payload)));
  await drainQueue({ db, log, handlers: handlersThat(async (body) => void seen.push([body, correlation.getStore()])) });
  expect(seen).toEqual([[payload, 'asked-for-it']]);
});

test('jobs with the same key collapse into one waiting job', async () => {
  const { db, log } = house.app;
  let runs = 0;
  for (let round = 0; round < 3; round++) await db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { key: 'one' }));
  await drainQueue({ db, log, handlers: handlersThat(async () => void runs++) });
  expect(runs).toBe(1);
});

test('a job is added even if a worker takes the job with its key at the same moment', async () => {
  const { db, log } = house.app;
  await db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { key: 'taken' }));
  const worker = await db.pool.connect();
  try {
    await worker.query(`begin; update graphile_worker._private_jobs set locked_by = 'worker-alive', locked_at = now()`);
    const added = db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { key: 'taken' }));
    // The new job waits for the worker's transaction, whose lock it cannot see yet.
    const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(() => db.rows(waits)).toHaveLength(1);
    await worker.query('commit');
    await added;
  } finally {
    worker.release();
  }
  let runs = 0;
  await drainQueue({ db, log, handlers: handlersThat(async () => void runs++) });
  expect(runs).toBe(1);
  await db.pool.query(`delete from graphile_worker._private_jobs where locked_by = 'worker-alive'`);
});

test('a failed attempt logs one line: a warning while attempts remain, an error at the last', async () => {
  const { db } = house.app;
  const lines: { level: string; msg: string; attempt: number }[] = [];
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  await db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { maxAttempts: 2 }));
  const handlers = handlersThat(async () => {
    throw new Error('no');
  });
  await drainQueue({ db, log, handlers });
  await db.pool.query('update graphile_worker._private_jobs set run_at = now() where attempts = 1');
  await drainQueue({ db, log, handlers });
  expect(lines.map(({ level, msg, attempt }) => [level, msg, attempt])).toEqual([
    ['warn', 'job failed', 1],
    ['error', 'job failed', 2],
  ]);
});

test('a job that fails after it lost its key is deleted, and the other job does the work', async () => {
  const { db, log } = house.app;
  let runs = 0;
  const handlers = handlersThat(async () => {
    if (++runs > 1) return;
    await db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { key: 'one' }));
    throw new Error('no');
  });
  const countJobs = async () => (await db.pool.query('select from graphile_worker._private_jobs')).rowCount;
  const before = await countJobs();
  await db.tx((tx) => enqueue(tx, 'mail.deliver', payload, { key: 'one' }));
  await drainQueue({ db, log, handlers });
  expect(runs).toBe(2);
  expect(await countJobs()).toBe(before);
});

test('a starting queue releases the jobs of a killed process, but not those of a living one', async () => {
  const { db, log } = house.app;
  const ran: string[] = [];
  for (const messageId of [inventedId<MessageId>('dead'), inventedId<MessageId>('alive')])
    await db.tx((tx) => enqueue(tx, 'mail.deliver', { ...payload, messageId }));
  await db.pool.query(`
    update graphile_worker._private_jobs
    set locked_by = 'pool-' || (payload->>'messageId'), locked_at = now() - interval '2 minutes', attempts = 1
    where payload->>'messageId' in ('dead', 'alive')`);
  await db.pool.query(
    `insert into worker_heartbeats values ('pool-alive', now()), ('pool-dead', now() - interval '2 minutes')`,
  );
  let done: () => void = () => {};
  const deadRan = new Promise<void>((resolve) => {
    done = resolve;
  });
  const queue = await startQueue({
    db,
    log,
    handlers: handlersThat(async ({ messageId }) => {
      ran.push(messageId);
      if (messageId === 'dead') done();
    }),
    crontab: [],
    concurrency: 2,
  });
  await deadRan;
  await queue.stop();
  expect(ran).toEqual(['dead']);
});

test('a job of a killed process leaves nothing behind if it loses its key just before its release', async () => {
  const { db } = house.app;
  const killed = inventedId<MessageId>('killed');
  await db.tx((tx) => enqueue(tx, 'mail.deliver', { ...payload, messageId: killed }));
  await db.pool.query(`
    update graphile_worker._private_jobs
    set locked_by = 'pool-killed', locked_at = now() - interval '2 minutes', attempts = 1
    where payload->>'messageId' = 'killed'`);
  // Takes the key from a locked job at the last instant, as an enqueue of the same key would.
  await db.pool.query(`
    create function lose_key() returns trigger language plpgsql
      as $$ begin new.key := null; new.attempts := new.max_attempts; return new; end $$;
    create trigger lose_key before update of locked_at on graphile_worker._private_jobs
      for each row when (old.locked_by = 'pool-killed') execute function lose_key()`);
  await heartbeat(db, ['pool-new'], 30);
  await db.pool.query('drop trigger lose_key on graphile_worker._private_jobs; drop function lose_key()');
  const left = await db.pool.query(`
    select from graphile_worker._private_jobs where payload->>'messageId' = 'killed'`);
  expect(left.rowCount).toBe(0);
});

test('all jobs of a killed process are released at once, and those that lost their key are deleted', async () => {
  const { db } = house.app;
  // The process took the second job just before it was killed, and another job took the key of that.
  const old = { ...payload, messageId: inventedId<MessageId>('taken-early') };
  const young = { ...payload, messageId: inventedId<MessageId>('taken-late') };
  await db.tx((tx) => enqueue(tx, 'mail.deliver', old));
  await db.tx((tx) => enqueue(tx, 'mail.deliver', young, { key: 'late' }));
  await db.pool.query(`
    update graphile_worker._private_jobs
    set locked_by = 'pool-cut', attempts = 1,
      locked_at = now() - case payload->>'messageId' when 'taken-early' then interval '31 s' else interval '29 s' end
    where payload->>'messageId' in ('taken-early', 'taken-late')`);
  await db.tx((tx) => enqueue(tx, 'mail.deliver', young, { key: 'late' }));
  await heartbeat(db, ['pool-new'], 30);
  const { rows } = await db.pool.query<{ id: string; isLost: boolean }>(`
    select payload->>'messageId' as id, attempts >= max_attempts as "isLost"
    from graphile_worker._private_jobs
    where payload->>'messageId' in ('taken-early', 'taken-late') and locked_at is null
    order by 1`);
  await db.pool.query(`delete from graphile_worker._private_jobs where payload->>'messageId' like 'taken-%'`);
  expect(rows).toEqual([
    { id: 'taken-early', isLost: false },
    { id: 'taken-late', isLost: false },
  ]);
});

test('a job that outlasts the heartbeat limit runs once, even if other processes start', async () => {
  const { db, log } = house.app;
  const long = { ...payload, messageId: inventedId<MessageId>('long') };
  let runs = 0;
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const later = Promise.withResolvers<void>();
  const handlers = handlersThat(async ({ messageId }) => {
    if (messageId !== 'long') return later.resolve();
    runs++;
    begun.resolve();
    await end.promise;
  });
  await db.tx((tx) => enqueue(tx, 'mail.deliver', long));
  const first = await startQueue({ db, log, handlers, crontab: [], concurrency: 1 });
  await begun.promise;
  await db.pool.query(`
    update graphile_worker._private_jobs set locked_at = now() - interval '2 minutes'
    where payload->>'messageId' = 'long'`);
  // A queue looks for jobs of dead processes when it starts.
  const second = await startQueue({ db, log, handlers, crontab: [], concurrency: 2 });
  // The second queue would take a released job before this newer job.
  await db.tx((tx) => enqueue(tx, 'mail.deliver', { ...payload, messageId: inventedId<MessageId>('later') }));
  await later.promise;
  end.resolve();
  await first.stop();
  const left = await db.pool.query(`select from graphile_worker._private_jobs where payload->>'messageId' = 'long'`);
  expect(left.rowCount).toBe(0);
  await second.stop();
  expect(runs).toBe(1);
});

test('a run that counted as dead does not delete the job that another worker got', async () => {
  const { db, log } = house.app;
  const lost = { ...payload, messageId: inventedId<MessageId>('lost') };
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const handlers = handlersThat(async () => {
    begun.resolve();
    await end.promise;
  });
  await db.tx((tx) => enqueue(tx, 'mail.deliver', lost, { key: 'lost' }));
  const queue = await startQueue({ db, log, handlers, crontab: [], concurrency: 1, silentSeconds: 0 });
  await begun.promise;
  await db.pool.query(`
    update graphile_worker._private_jobs set locked_by = 'another', locked_at = now() where key = 'lost'`);
  end.resolve();
  await queue.stop();
  const { rows } = await db.pool.query(`
    select locked_by as "lockedBy" from graphile_worker._private_jobs where key = 'lost'`);
  expect(rows).toEqual([{ lockedBy: 'another' }]);
  await db.pool.query(`delete from graphile_worker._private_jobs where key = 'lost'`);
});

test('a job that loses its key while its failure is written is deleted', async () => {
  const { db, log } = house.app;
  const overtaken = { ...payload, messageId: inventedId<MessageId>('overtaken') };
  const rows = async () =>
    (await db.pool.query(`select key from graphile_worker._private_jobs where payload->>'messageId' = 'overtaken'`))
      .rows;
  const failed = Promise.withResolvers<void>();
  const handlers = handlersThat(async () => {
    failed.resolve();
    throw new Error('It fails.');
  });
  // Leaves the job as the queue does when another job takes its key at that moment.
  await db.pool.query(`
    create function be_overtaken() returns trigger language plpgsql as $$
    begin
      new.key := null;
      new.attempts := new.max_attempts;
      return new;
    end $$;
    create trigger be_overtaken before update on graphile_worker._private_jobs
    for each row when (old.locked_at is not null and new.locked_at is null and old.key = 'three')
    execute function be_overtaken()`);
  await db.tx((tx) => enqueue(tx, 'mail.deliver', overtaken, { key: 'three' }));
  const queue = await startQueue({ db, log, handlers, crontab: [], concurrency: 1 });
  await failed.promise;
  await expect.poll(rows).toEqual([]);
  await queue.stop();
  await db.pool.query('drop function be_overtaken cascade');
});

test("a killed worker's job is deleted once another job has its key", async () => {
  const { db, log } = house.app;
  const replaced = { ...payload, messageId: inventedId<MessageId>('replaced') };
  const count = async () =>
    (await db.pool.query(`select from graphile_worker._private_jobs where payload->>'messageId' = 'replaced'`))
      .rowCount;
  await db.tx((tx) => enqueue(tx, 'mail.deliver', replaced, { key: 'two' }));
  await db.pool.query(`
    update graphile_worker._private_jobs
    set locked_by = 'worker-gone', locked_at = now() - interval '2 minutes', attempts = 1
    where payload->>'messageId' = 'replaced'`);
  await db.tx((tx) => enqueue(tx, 'mail.deliver', replaced, { key: 'two' }));
  expect(await count()).toBe(2);
  let runs = 0;
  const ran = Promise.withResolvers<void>();
  const handlers = handlersThat(async () => {
    runs++;
    ran.resolve();
  });
  const queue = await startQueue({ db, log, handlers, crontab: [], concurrency: 1 });
  await ran.promise;
  // The queue records the success after the work has ended.
  await expect.poll(count).toBe(0);
  await queue.stop();
  expect(runs).toBe(1);
});

test('jobs in a lane do not delay other jobs', async () => {
  const { db, log } = house.app;
  const webhook = { workspaceId: payload.workspaceId, webhookId: payload.messageId };
  const order: string[] = [];
  const [held, isHeld, ran] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const handlers = {
    'webhook.clear': async () => {
      isHeld?.resolve();
      await held?.promise;
      order.push('webhook');
    },
    'mail.deliver': async () => {
      order.push('mail');
      ran?.resolve();
    },
  } as Partial<JobHandlers> as JobHandlers;
  const lanes = [{ jobs: ['webhook.clear'], concurrency: 1 }] as const;
  const queue = await startQueue({ db, log, handlers, crontab: [], concurrency: 1, lanes });
  await db.tx((tx) => enqueue(tx, 'webhook.clear', webhook));
  await isHeld?.promise;
  await db.tx((tx) => enqueue(tx, 'mail.deliver', payload));
  await ran?.promise;
  held?.resolve();
  await queue.stop();
  expect(order).toEqual(['mail', 'webhook']);
});
