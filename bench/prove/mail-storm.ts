/**
 * Checks that no hosted mail is lost or doubled while everything fails at random. 2,000 mails go over 20 mailboxes of
 * both providers, with one API process and three workers. Notifications get lost, repeated and reordered. Cursors and
 * tokens end. Requests fail with 429 or 5xx, or break off after they took effect. Mails are named too early, filed
 * before they are read, or have no original. Valid tokens and delta links are refused, delta links hide mail, and `kill
 * -9` hits random processes.
 * `node bench/prove/mail-storm.ts [--seed 1] [--mails 2000] [--mailboxes 20] [--workers 3] [--kills 12] [--pause 250]`
 * starts everything on a folder of its own. `--pause` is in milliseconds, between two mails of each of four writers. It
 * exits with 1 if a mail, an answer, a conversation or a watch differs from the providers' state. SIGUSR2 ends the
 * writing early, and the mails so far are judged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomOf } from '../../emulators/random.ts';
import type { Fleet } from '../storm/processes.ts';
import { openStage } from '../storm/stage.ts';
import { runStorm, type StormOutcome } from '../storm/storm.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    mails: { type: 'string', default: '2000' },
    mailboxes: { type: 'string', default: '20' },
    workers: { type: 'string', default: '3' },
    kills: { type: 'string', default: '12' },
    pause: { type: 'string', default: '250' },
  },
});
const [seed, mails, mailboxCount, workers, killCount, pauseMs] = [
  values.seed,
  values.mails,
  values.mailboxes,
  values.workers,
  values.kills,
  values.pause,
].map(Number) as [number, number, number, number, number, number];

const writersAtOnce = 4;
const settling = { timeoutMs: 15 * 60_000, pollMs: 500, patienceMs: 30_000 };

const enough = new AbortController();
process.once('SIGUSR2', () => enough.abort());

/** Kills one process after another, each at a random share of the mails. */
function openKiller(fleet: Fleet): {
  onMail(written: number): void;
  settled(): Promise<void>;
  counts: Record<string, number>;
} {
  const random = randomOf(seed, 5);
  const instants = new Set(
    Array.from({ length: killCount }, () => Math.floor(mails * (0.05 + 0.93 * random.fraction()))),
  );
  const counts: Record<string, number> = {};
  let last: Promise<unknown> = Promise.resolve();
  return {
    counts,
    onMail: (written) => {
      if (!instants.has(written)) return;
      const member = random.below(fleet.size);
      const downMs = 500 + random.below(2_500);
      const inBetweenMs = random.below(500);
      last = last
        .then(() => sleep(inBetweenMs))
        .then(() => fleet.kill(member, downMs))
        .then((role) => {
          counts[`kill -9 of ${role}`] = (counts[`kill -9 of ${role}`] ?? 0) + 1;
        });
    },
    settled: async () => void (await last),
  };
}

async function prove(): Promise<{ outcome: StormOutcome; complaints: string[] }> {
  await using house = new AsyncDisposableStack();
  const { db, emulators, fleet, desks } = await openStage(house, {
    mailboxes: mailboxCount,
    mailboxesPerDesk: 4,
    workers,
    hasStalls: true,
  });
  const { sides } = emulators;
  console.log(`${desks.length} workspaces with ${mailboxCount} mailboxes are connected`);

  const killer = openKiller(fleet);
  let toldAt = performance.now();
  const outcome = await runStorm(
    {
      db,
      sides,
      desks,
      onMail: (written) => {
        killer.onMail(written);
        if (written % 200 === 0) console.log(`${written} mails are written`);
      },
      onWait: (left) => {
        if (performance.now() - toldAt < 15_000) return;
        toldAt = performance.now();
        console.log('left:', JSON.stringify(left));
      },
      beforeSettling: killer.settled,
    },
    {
      seed,
      mails,
      enough: enough.signal,
      writersAtOnce,
      mailsPerAnswer: 4,
      mailsPerBlow: 15,
      pauseMs,
      settling,
    },
  );
  const tallies = await Promise.all(
    sides.map(async (side) => {
      const { requests, faults } = await side.tally();
      const perStatus = Object.entries(faults).map(([status, count]) => [
        `${side.provider}: requests answered ${status}`,
        count,
      ]);
      return { [`${side.provider}: requests`]: requests, ...Object.fromEntries(perStatus) };
    }),
  );
  Object.assign(outcome.counts, killer.counts, ...tallies);
  await fleet.stop();
  return { outcome, complaints: fleet.complaints() };
}

function report({ counts, mailsWritten, stormMs, settleMs: settledMs, latenciesMs }: StormOutcome): void {
  const at = (share: number) => Math.round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN);
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const rows: [string, string | number][] = [
    ...Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)),
    ['seconds of storm', seconds(stormMs)],
    ['seconds until all was settled', seconds(settledMs)],
    ['mails a second', (mailsWritten / (stormMs / 1000)).toFixed(1)],
    ['mail to ticket, median, ms', at(0.5)],
    ['mail to ticket, p99, ms', at(0.99)],
    ['mail to ticket, longest, ms', Math.round(latenciesMs.at(-1) ?? Number.NaN)],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(52)}${String(value).padStart(10)}`);
}

const { outcome, complaints } = await prove();
report(outcome);
for (const line of complaints.slice(0, 20)) console.log('logged:', line);
for (const line of outcome.differences) console.log('differs:', line);
console.log(
  outcome.differences.length === 0 ? 'All is as the providers have it.' : `${outcome.differences.length} differences`,
);
process.exit(outcome.differences.length === 0 ? 0 : 1);
