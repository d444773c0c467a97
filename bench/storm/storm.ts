import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../emulators/random.ts';
import type { Db } from '../../src/ground/database/db.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { openAgents } from './agents.ts';
import { openCustomers } from './customers.ts';
import type { Desk } from './desk.ts';
import { judge } from './judge.ts';
import { type Records, readRecords } from './records.ts';
import { lacksWatches, settle, type Unsettled } from './settle.ts';
import type { Side } from './side.ts';
import { openWeather } from './weather.ts';

export type StormOptions = {
  seed: number;
  /** Mails by customers; those of agents and machines come on top. */
  mails: number;
  /** Ends the writing early. */
  enough?: AbortSignal;
  /** Concurrent writers, and how many mails pass between two answers. */
  writersAtOnce: number;
  mailsPerAnswer: number;
  /** How many mails pass between two blows of the weather. */
  mailsPerBlow: number;
  /** The least pause between two mails of one writer. */
  pauseMs: number;
  /** See `settle`. */
  settling: { timeoutMs: number; pollMs: number; patienceMs: number };
};

export type StormOutcome = {
  differences: string[];
  left: Unsettled;
  counts: Record<string, number>;
  /** From the first mail to the last, and from there until all work was done. */
  stormMs: number;
  settleMs: number;
  latenciesMs: number[];
  mailsWritten: number;
};

type Scene = {
  db: Db;
  sides: readonly Side[];
  desks: readonly Desk[];
  /** Called between two mails, now and then. */
  onMail?: (written: number) => void;
  onWait?: (left: Unsettled) => void;
  /** Awaited after the last mail. */
  beforeSettling?: () => Promise<void>;
};

/** Customers and agents write at random while everything fails. Then the faults end, and the result is judged. */
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
  // In sequence, since parsing thousands of mails lets the connections of concurrent desks time out.
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

/** Waits until the providers watch all mailboxes and notify of new mail, and each mailbox has been read. */
export async function untilWatched(db: Db, desks: readonly Desk[]): Promise<void> {
  const boxes = desks.flatMap(({ mailboxes }) => mailboxes.map(({ id }) => id));
  for (;;) {
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) from mailboxes m
      join mailbox_syncs s on s.workspace_id = m.workspace_id and s.mailbox_id = m.id and s.synced_at is not null
      where m.id = any(${boxes}::uuid[]) and not ${lacksWatches}`);
    if (count === boxes.length) return;
    await sleep(20);
  }
}
