import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseGate } from '../../../test/harness/database-gate.ts';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { makeRoutedMailbox, post, takeJobs } from '../../../test/worlds/webhook-house.ts';
import { newId } from '../../ground/lib/ids.ts';
import { openLog } from '../../ground/platform/log.ts';
import { openGatherer } from './gather.ts';
import type { Poke } from './poke.ts';
import type { GatheredPoke } from './queue-work.ts';

const poke = (routeKey: string, more: Partial<Poke> = {}): Poke => ({
  provider: 'mail-a',
  routeKey,
  wantsSync: true,
  wantsWatch: false,
  isWatchGone: false,
  isProven: true,
  ...more,
});
/** Enough for a busy machine. */
const waiting = { interval: 20 };
const isUnavailable = { key: 'unavailable', headers: { 'retry-after': '2' } };

/** A gatherer whose commits end on the test's command. */
function makeGatherer() {
  const commits: (PromiseWithResolvers<ReadonlySet<string>> & { pokes: GatheredPoke[] })[] = [];
  let begun = Promise.withResolvers<void>();
  const gatherer = openGatherer((pokes) => {
    const commit = { pokes, ...Promise.withResolvers<ReadonlySet<string>>() };
    commits.push(commit);
    begun.resolve();
    begun = Promise.withResolvers();
    return commit.promise;
  }, openLog('silent'));
  return { gatherer, commits, nextCommit: () => begun.promise };
}

describe('the work of requests', () => {
  test('that come together is committed together, one poke per mailbox, before they are answered', async () => {
    const { gatherer, commits, nextCommit } = makeGatherer();
    const committed = nextCommit();
    const added = [
      gatherer.add([poke('a'), poke('b')]),
      gatherer.add([poke('a', { wantsSync: false, wantsWatch: true })]),
      gatherer.add([poke('b', { provider: 'mail-b' })]),
    ];
    await committed;
    expect(commits.map(({ pokes }) => pokes)).toMatchObject([
      [poke('a', { wantsWatch: true }), poke('b'), poke('b', { provider: 'mail-b' })],
    ]);
    const known = new Set(['mail-a a']);
    commits[0]?.resolve(known);
    expect(await Promise.all(added)).toEqual([known, known, known]);
  });

  test('that come during a commit goes into the next batch, which follows at once', async () => {
    const { gatherer, commits, nextCommit } = makeGatherer();
    const committed = nextCommit();
    const first = gatherer.add([poke('a')]);
    await committed;
    const later = Array.from({ length: 300 }, (_item, index) => gatherer.add([poke(`b${index % 250}`)]));
    expect(commits).toHaveLength(1);
    commits[0]?.resolve(new Set());
    await first;
    expect(commits.map(({ pokes }) => pokes.length)).toEqual([1, 250]);
    commits[1]?.resolve(new Set());
    await Promise.all(later);
  });

  test('without a mailbox needs no commit', async () => {
    const { gatherer, commits } = makeGatherer();
    expect(await gatherer.add([])).toEqual(new Set());
    expect(commits).toEqual([]);
  });

  test('is answered 503 when its commit fails, and the next batch is committed', async () => {
    const { gatherer, commits, nextCommit } = makeGatherer();
    for (const isGood of [false, true]) {
      const committed = nextCommit();
      const added = gatherer.add([poke('a')]);
      const also = gatherer.add([poke('b')]);
      await committed;
      if (isGood) commits.at(-1)?.resolve(new Set());
      else commits.at(-1)?.reject(new Error('the disk is full'));
      for (const outcome of [added, also])
        await (isGood ? outcome : expect(outcome).rejects.toMatchObject(isUnavailable));
    }
  });

  test('is refused before the provider gives up when the database hangs, and later work at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { gatherer, commits, nextCommit } = makeGatherer();
      const refused = (routeKey: string) => expect(gatherer.add([poke(routeKey)])).rejects.toMatchObject(isUnavailable);
      const committed = nextCommit();
      const first = refused('a');
      await committed;
      const second = refused('b');
      vi.advanceTimersByTime(2_000);
      await Promise.all([first, second, refused('c')]);
      // The commit succeeded after all. A repeated request does no harm.
      commits[0]?.resolve(new Set());
      await commits[0]?.promise;
      vi.useRealTimers();
      const added = gatherer.add([poke('d')]);
      await expect.poll(() => commits.map(({ pokes }) => pokes), waiting).toMatchObject([[poke('a')], [poke('d')]]);
      commits[1]?.resolve(new Set(['mail-a d']));
      expect(await added).toEqual(new Set(['mail-a d']));
    } finally {
      vi.useRealTimers();
    }
  });

  test('beyond the limit of waiting requests is refused', async () => {
    const { gatherer, commits, nextCommit } = makeGatherer();
    const committed = nextCommit();
    const first = gatherer.add([poke('a')]);
    await committed;
    const waiting = Array.from({ length: 10_000 }, () => gatherer.add([poke('b')]));
    await expect(gatherer.add([poke('b')])).rejects.toMatchObject(isUnavailable);
    for (const _batch of [1, 2]) {
      commits.at(-1)?.resolve(new Set());
      await (commits.length === 1 ? first : Promise.all(waiting));
    }
  });
});

describe('a database', () => {
  const clientState = 'the secret';
  const house = useHouse({ MAIL_A_WEBHOOK_SECRET: clientState });
  const gate = databaseGate(() => house.databaseUrl);
  const subscriptionId = newId();
  let replica: Awaited<ReturnType<typeof buildReplica>>;
  let jobs: string[];

  beforeAll(async () => {
    replica = await buildReplica({ ...house, databaseUrl: await gate.open() });
    jobs = [`mailbox.sync:${(await makeRoutedMailbox(house, 'mail-a', subscriptionId)).mailboxId}`];
  });
  afterAll(async () => {
    await replica.close();
    await gate.close();
  });

  const notify = () => post(replica, '/mail-a', { value: [{ subscriptionId, clientState }] });
  const isRefused = { status: 503, body: { key: 'unavailable' } };

  test('that is away makes providers repeat notifications, and no accepted one is lost', async () => {
    expect((await notify()).status).toBe(202);
    expect(await takeJobs(house)).toEqual(jobs);
    await gate.close();
    const refused = await Promise.all([notify(), notify(), notify()]);
    expect(refused).toMatchObject([isRefused, isRefused, isRefused]);
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2', '2']);
    expect(await takeJobs(house)).toEqual([]);
    await gate.open();
    expect((await notify()).status).toBe(202);
    expect(await takeJobs(house)).toEqual(jobs);
  });

  test('finishes its commit before the service stops', async () => {
    const leaving = await buildReplica(house);
    const answers = Array.from({ length: 5 }, () =>
      post(leaving, '/mail-a', { value: [{ subscriptionId, clientState }] }),
    );
    await expect.poll(() => leaving.app.webhookTally.of('mail-a', 'queued'), waiting).toBeGreaterThan(0);
    const last = post(leaving, '/mail-a', { value: [{ subscriptionId, clientState }] }).catch(() => undefined);
    await leaving.close();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(5).fill(202));
    expect([202, 503, undefined]).toContain((await last)?.status);
    expect(await takeJobs(house)).toEqual(jobs);
  });
});
