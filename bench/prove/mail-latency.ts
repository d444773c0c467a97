/**
 * Measures how soon a mail becomes a ticket on a quiet system, and how many mails a second three workers ingest. `node
 * bench/prove/mail-latency.ts` delivers 30 single mails to a mailbox of each provider, and polls the API until each
 * ticket shows. Then the workers fetch 3,000 mails that wait in 20 mailboxes. The providers' emulators run on the same
 * machine, so the output includes their processor time. Exits with 1 if a median is not below 1 s, or fewer than 150
 * mails a second arrive.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeMail } from '../../emulators/customer-mail.ts';
import { randomOf } from '../../emulators/random.ts';
import { sql } from '../../src/ground/database/sql.ts';
import type { Desk, HostedBox } from '../storm/desk.ts';
import { openStage, type Stage } from '../storm/stage.ts';
import { untilWatched } from '../storm/storm.ts';
import { bodyText } from '../words.ts';

const mailsEach = 30;
const medianMsMax = 1_000;
const mailsWaiting = 3_000;
const mailsPerSecondMin = 150;
/** Gmail notifies once a second per mailbox, and drops notifications in between. */
const pauseMs = 1_100;
const patienceMs = 30_000;

/** @returns milliseconds until each mail was a ticket, ascending */
async function measureLatency(desk: Desk, { address, side }: HostedBox): Promise<number[]> {
  const latencies: number[] = [];
  for (let mail = 0; mail < mailsEach; mail++) {
    const subject = `Single mail ${mail} to ${address}`;
    const raw = await writeMail({ subject, from: `writer${mail}@example.net` }, { to: address, date: new Date() });
    const startedAt = performance.now();
    await side.deliver(address, raw);
    await untilListed(desk, subject);
    const latencyMs = performance.now() - startedAt;
    latencies.push(latencyMs);
    await sleep(Math.max(0, pauseMs - latencyMs));
  }
  return latencies.sort((a, b) => a - b);
}

async function untilListed({ call }: Desk, subject: string): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < patienceMs) {
    const { body } = await call<{ subject: string }[]>('GET', '/tickets?limit=5&count=false');
    if (body.some((ticket) => ticket.subject === subject)) return;
    await sleep(5);
  }
  throw new Error(`no ticket appeared for "${subject}"`);
}

/** Delivers mails without notifications, so that only a regular sync finds them. */
async function fillMailboxes({ desks, emulators }: Stage): Promise<void> {
  for (const side of emulators.sides) await side.loseNotifications();
  const boxes = desks.flatMap(({ mailboxes }) => mailboxes);
  const random = randomOf(6);
  const deliver = async (mail: number): Promise<void> => {
    const box = boxes[mail % boxes.length];
    if (box === undefined) throw new Error('there is no mailbox');
    const fields = { subject: `Waiting mail ${mail}`, text: bodyText(random), from: `writer${mail % 700}@example.net` };
    await box.side.deliver(box.address, await writeMail(fields, { to: box.address, date: new Date() }));
  };
  for (let mail = 0; mail < mailsWaiting; mail++) await deliver(mail);
}

/** @returns the seconds until all mails were ingested */
async function measureThroughput({ db }: Stage): Promise<number> {
  const startedAt = performance.now();
  await db.tx((tx) => tx.run(sql`update mailbox_syncs set due_at = ${tx.now}`));
  while ((await countMessages(db)) < mailsWaiting) await sleep(50);
  return (performance.now() - startedAt) / 1000;
}

async function countMessages(db: Stage['db']): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) from messages`);
  return count;
}

/** Processor seconds that each part has used so far. */
function readCpu({ fleet, emulators, databaseFolder }: Stage): Record<string, number> {
  const pidsOf = (processes: readonly { process: { pid?: number | undefined } }[]) =>
    processes.flatMap(({ process: { pid } }) => pid ?? []);
  const postmaster = Number(readFileSync(join(databaseFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + cpuSecondsOf(pid), 0);
  return {
    service: sum(pidsOf(fleet.processes())),
    PostgreSQL: sum([postmaster, ...childrenOf(postmaster)]),
    emulators: sum(pidsOf(emulators.processes)),
    'this run': process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  };
}

/** User and system time of proc(5), in hundredths of a second. */
function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((other) => Number(statOf(other)[1]) === pid);
}

/** The fields from the state on, since the name before may contain anything. Empty if the process has ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return [];
  }
}

function tell(name: string, value: string): void {
  console.log(`${name.padEnd(44)}${value.padStart(20)}`);
}

const limits = { hasStalls: false, unitsPerMinute: null } as const;

async function proveLatency(): Promise<boolean> {
  await using house = new AsyncDisposableStack();
  const { db, desks } = await openStage(house, { mailboxes: 2, mailboxesPerDesk: 2, workers: 1, ...limits });
  await untilWatched(db, desks);
  const medians: number[] = [];
  for (const desk of desks)
    for (const box of desk.mailboxes) {
      const latencies = await measureLatency(desk, box);
      const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
      medians.push(at(0.5));
      tell(`${box.side.provider}: delivery to ticket, median, p90`, `${at(0.5).toFixed(0)}, ${at(0.9).toFixed(0)} ms`);
    }
  return medians.every((median) => median < medianMsMax);
}

async function proveThroughput(): Promise<boolean> {
  await using house = new AsyncDisposableStack();
  const stage = await openStage(house, { mailboxes: 20, mailboxesPerDesk: 4, workers: 3, ...limits });
  await untilWatched(stage.db, stage.desks);
  await fillMailboxes(stage);
  const before = readCpu(stage);
  const seconds = await measureThroughput(stage);
  const after = readCpu(stage);
  const mailsPerSecond = mailsWaiting / seconds;
  tell(`${mailsWaiting} waiting mails were taken in, seconds`, seconds.toFixed(1));
  tell('mails a second', mailsPerSecond.toFixed(0));
  for (const [part, used] of Object.entries(after)) {
    const share = (used - (before[part] ?? 0)) / (seconds * availableParallelism());
    tell(`processors used by ${part}`, `${(share * 100).toFixed(0)} %`);
  }
  return mailsPerSecond >= mailsPerSecondMin;
}

const isSoon = await proveLatency();
const isMany = await proveThroughput();
process.exit(isSoon && isMany ? 0 : 1);
