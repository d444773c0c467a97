import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../emulators/random.ts';
import type { Db } from '../../src/database/db.ts';
import { sql } from '../../src/database/sql.ts';
import { openAgents } from './agents.ts';
import { openCustomers } from './customers.ts';
import type { Desk } from './desk.ts';
import { judge } from './judge.ts';
import { type Records, readRecords } from './records.ts';
import { settle, type Unsettled } from './settle.ts';
import type { Side } from './side.ts';
import { openWeather } from './weather.ts';

export type StormOptions = {
  seed: number;
  /** That customers write; agents' and machines' come on top. */
  mails: number;
  /** Ends the writing early. */
  enough?: AbortSignal;
  /** Mails that are written at once, and an answer is given for each so many. */
  writersAtOnce: number;
  mailsPerAnswer: number;
  /** One blow of the weather for each so many mails. */
  mailsPerBlow: number;
  /** At the least between two mails of one writer. */
  pauseMs: number;
  /** How it is waited until all is settled: see `settle`. */
  settling: { timeoutMs: number; pollMs: number; patienceMs: number };
};

export type StormOutcome = {
  differences: string[];
  left: Unsettled;
  counts: Record<string, number>;
  /** From the first mail to the last, and from there until nothing was left to do. */
  stormMs: number;
  settleMs: number;
  latenciesMs: number[];
  mailsWritten: number;
};

type Scene = {
  db: Db;
  sides: readonly Side[];
  desks: readonly Desk[];
  /** Between two mails, now and then. */
  onMail?: (written: number) => void;
  onWait?: (left: Unsettled) => void;
  /** Awaited once the last mail is written. */
  beforeSettling?: () => Promise<void>;
};

/** Customers and agents write at random while everything goes wrong; then the noise ends, and it is looked at what came of it. */
export async function runStorm(scene: Scene, options: StormOptions): Promise<StormOutcome> {
  const { db, sides, desks, onMail, onWait } = scene;
  const { seed, mails, writersAtOnce, settling } = options;
  await untilWatched(db, desks);
  const customers = await openCustomers(desks, sides, { seed });
  const agents = openAgents(desks, customers, { seed });
  const weather = openWeather(db, desks, { seed });
  for (const side of sides) await side.makeNoise();
  const beganAt = performance.now();
  let written = 0;
  const writer = async (): Promise<void> => {
    const random = randomOf(seed, 4, written);
    while (written < mails && options.enough?.aborted !== true) {
      const mail = ++written;
      onMail?.(mail);
      await customers.write();
      if (mail % options.mailsPerAnswer === 0) await agents.answer();
      if (mail % options.mailsPerBlow === 0) await weather.strike();
      await sleep(options.pauseMs * (0.5 + random.fraction()));
    }
  };
  await Promise.all(Array.from({ length: writersAtOnce }, writer));
  const endedAt = performance.now();
  await scene.beforeSettling?.();
  for (const side of sides) await side.endNoise();
  const left = await settle(db, { ...settling, ...(onWait && { onWait }) });
  const settledAt = performance.now();
  // One after the other: thousands of mails are parsed for each, and the other desks' connections would time out meanwhile.
  const records: Records[] = [];
  for (const desk of desks) records.push(await readRecords(db, desk));
  const { answers } = agents;
  return {
    differences: [
      ...Object.entries(left).map(([what, count]) => `${count} ${what} are left`),
      ...(await judge(records, { sides, customers, answers })),
    ],
    left,
    counts: { ...prefixed('customers', customers.counts), ...prefixed('agents', agents.counts), ...weather.counts },
    mailsWritten: written,
    stormMs: endedAt - beganAt,
    settleMs: settledAt - endedAt,
    latenciesMs: records
      .flatMap(({ messages }) => messages)
      .flatMap(({ rfcMessageId, arrivedAt }) => {
        const deliveredAt = customers.deliveredAt.get(rfcMessageId ?? '');
        return deliveredAt === undefined ? [] : [Date.parse(arrivedAt) - deliveredAt];
      })
      .sort((a, b) => a - b),
  };
}

function prefixed(who: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([kind, count]) => [`${who}: ${kind}`, count]));
}

/** From then on the providers tell of new mail. */
export async function untilWatched(db: Db, desks: readonly Desk[]): Promise<void> {
  const boxes = desks.flatMap(({ mailboxes }) => mailboxes.map(({ id }) => id));
  for (;;) {
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) from mailboxes m
      join mailbox_syncs s on s.workspace_id = m.workspace_id and s.mailbox_id = m.id and s.synced_at is not null
      where m.id = any(${boxes}::uuid[]) and m.watch_until is not null and m.watch_until <= now()
        and exists (select from mailbox_watches w where w.workspace_id = m.workspace_id and w.mailbox_id = m.id)`);
    if (count === boxes.length) return;
    await sleep(20);
  }
}
