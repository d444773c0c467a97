/**
 * Compares our mail reader with postal-mime: on a corpus of real mail, on the same mail with random damage, and on
 * hostile mails of 30 MB, each in a process of its own. `node bench/prove/mail-readers.ts [--list] <folder of mails> …`
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseMail } from '@kontor/mail/parse.ts';
import PostalMime from 'postal-mime';
import { type Random, randomOf } from '../../emulators/random.ts';
import { tableText, whole } from '../report.ts';
import { hostileMail, hostileShapes } from './hostile-shapes.ts';

const damagedCopies = 20;
const hostileSecondsMax = 60;

type Reading = { subject: string; from: string; date: string; text: string; html: string; attachments: string };
type Reader = (raw: Uint8Array) => Promise<Reading>;

const squeezed = (text: string | null | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();
const dayOf = (date: Date | null): string => (date === null ? '' : date.toISOString());

const readers: Record<string, Reader> = {
  ours: async (raw) => {
    const { subject, from, date, text, html, isTextFromHtml, attachments } = await parseMail(raw);
    return {
      subject: squeezed(subject),
      from: (from?.email ?? '').toLowerCase(),
      date: dayOf(date),
      // Each reader turns HTML into text in its own way.
      text: isTextFromHtml === true ? '' : squeezed(text),
      html: squeezed(html),
      attachments: String(attachments.length),
    };
  },
  'postal-mime': async (raw) => {
    const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true });
    const date = new Date(mail.date ?? '');
    return {
      subject: squeezed(mail.subject),
      from: (mail.from?.address ?? '').toLowerCase(),
      date: Number.isNaN(date.getTime()) ? '' : date.toISOString(),
      text: squeezed(mail.text),
      html: squeezed(mail.html),
      attachments: String(mail.attachments.length),
    };
  },
};

async function compareOn(paths: string[], isListing: boolean): Promise<string[][]> {
  const differing = new Map<string, number>();
  for (const path of paths) {
    const raw = readFileSync(path);
    const [ours, theirs] = await Promise.all(Object.values(readers).map((read) => read(raw).catch(() => undefined)));
    if (ours === undefined || theirs === undefined) {
      if (ours !== theirs) count(differing, ours === undefined ? 'we throw alone' : 'postal-mime throws alone');
      continue;
    }
    for (const key of Object.keys(ours) as (keyof Reading)[]) {
      if (ours[key] === theirs[key] || (key === 'text' && ours.text === '')) continue;
      count(differing, key);
      if (isListing) console.log(`${path}: ${key}\n  ${JSON.stringify(around(ours[key], theirs[key]))}`);
    }
  }
  return [...differing].map(([key, mails]) => [key, String(mails)]);
}

/** The two values from a little before their first difference. */
function around(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - 10);
  return [one.slice(from, from + 70), other.slice(from, from + 70)];
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function timeOn(paths: string[]): Promise<string[][]> {
  const mails = paths.map((path) => readFileSync(path));
  const rows: string[][] = [];
  for (const [name, read] of Object.entries(readers)) {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const begin = performance.now();
      for (const raw of mails) await read(raw).catch(() => undefined);
      times.push(performance.now() - begin);
    }
    rows.push([name, whole(times.sort((a, b) => a - b)[2] ?? 0)]);
  }
  return rows;
}

/** How many of the damaged copies each reader refuses. */
async function damageOn(paths: string[]): Promise<string[][]> {
  const random = randomOf(1, 1);
  const refused = new Map(Object.keys(readers).map((name) => [name, 0]));
  for (const path of paths) {
    const raw = readFileSync(path);
    for (let copy = 0; copy < damagedCopies; copy++) {
      const damaged = damagedCopy(raw, random);
      for (const [name, read] of Object.entries(readers))
        await read(damaged).catch(() => refused.set(name, (refused.get(name) ?? 0) + 1));
    }
  }
  return [...refused].map(([name, mails]) => [name, `${mails} of ${paths.length * damagedCopies}`]);
}

function damagedCopy(raw: Buffer, random: Random): Buffer {
  const copy = Buffer.from(raw);
  for (let hit = 0; hit < 10; hit++) copy[random.below(copy.length)] = random.below(256);
  return copy.subarray(0, Math.max(1, random.below(copy.length * 2)));
}

/** Seconds and megabytes of each reader for each hostile mail. */
function hostileRows(): string[][] {
  return hostileShapes.map(({ name }, at) => [
    name,
    ...Object.keys(readers).map((reader) => {
      const args = [import.meta.filename, '--hostile', String(at), '--reader', reader];
      const { status, stdout } = spawnSync(process.execPath, args, {
        encoding: 'utf8',
        timeout: hostileSecondsMax * 1_000,
      });
      return status === 0 ? stdout.trim() : `not in ${hostileSecondsMax} s`;
    }),
  ]);
}

async function readHostile(at: number, name: string): Promise<void> {
  const shape = hostileShapes[at];
  const read = readers[name];
  if (shape === undefined || read === undefined) throw new Error('no such shape or reader');
  const raw = hostileMail(shape, at);
  const before = process.memoryUsage.rss();
  const begin = process.cpuUsage().user;
  const end = await read(raw).then(
    () => '',
    () => ', throws',
  );
  const seconds = (process.cpuUsage().user - begin) / 1e6;
  const megabytes = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
  console.log(`${seconds.toFixed(1)} s, ${whole(megabytes)} MB${end}`);
}

const { values, positionals } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    hostile: { type: 'string' },
    reader: { type: 'string', default: 'ours' },
  },
  allowPositionals: true,
});
if (values.hostile !== undefined) await readHostile(Number(values.hostile), values.reader);
else {
  const paths = positionals.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const table = (title: string, rows: string[][]) => console.log(tableText([[title, ''], ...rows]), '\n');
  table(`mails of ${paths.length} that differ in`, await compareOn(paths, values.list));
  table('ms for all of them', await timeOn(paths));
  table('damaged mails that are refused', await damageOn(paths));
  console.log(tableText([['hostile mail of 30 MB', ...Object.keys(readers)], ...hostileRows()]));
}
