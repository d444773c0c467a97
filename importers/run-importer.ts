import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Desk } from './desk.ts';
import { writeDesk } from './write-desk.ts';

export type Source = {
  /** Files and folders with the data. */
  paths: string[];
  /** A folder with the files of messages. */
  files: string | undefined;
  /** The time zone of times without one, as `+01:00`. */
  utcOffset: string;
};

export type Converter = (source: Source, desk: Desk) => Promise<void>;

const options = {
  into: { type: 'string' },
  name: { type: 'string' },
  account: { type: 'string' },
  files: { type: 'string' },
  'utc-offset': { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const problemsShown = 200;

/** Runs a converter as a program. Ends with 1 after problems, and with 2 for a wrong call. */
export async function runImporter(kind: string, convert: Converter): Promise<void> {
  const usage =
    `usage: node operate.js convert ${kind} (--dry-run | --into <folder>) [--name <workspace>] [--account <name>]` +
    ' [--files <folder>] [--utc-offset <+hh:mm>] <file or folder>…';
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h') || words.join() === 'help') return say(usage);
  process.exitCode = await run(kind, convert).catch((error: Error) => {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${[error.message, usage].filter(Boolean).join('\n')}\n`);
    return 2;
  });
}

class UsageError extends Error {}

async function run(kind: string, convert: Converter): Promise<number> {
  const { values, positionals } = read();
  const isDryRun = values['dry-run'] === true;
  const utcOffset = values['utc-offset'] ?? '+00:00';
  if (positionals.length === 0 || (values.into === undefined && !isDryRun)) throw new UsageError();
  if (!/^[+-]\d\d:\d\d$/.test(utcOffset)) throw new UsageError('--utc-offset is no offset such as +01:00.');
  const paths = positionals.map((path) => resolve(path));
  for (const path of paths) await stat(path).catch(() => fail(`There is no file or folder ${path}.`));
  const desk = await writeDesk({
    source: `${kind}:${values.account ?? ''}`,
    name: values.name ?? 'Support',
    folder: isDryRun || values.into === undefined ? undefined : resolve(values.into),
  });
  const files = values.files === undefined ? undefined : resolve(values.files);
  await convert({ paths, files, utcOffset }, desk);
  await desk.finish();
  for (const [name, count] of Object.entries(desk.counts)) say(`  ${name.padEnd(10)} ${String(count).padStart(8)}`);
  for (const { where, reason } of desk.problems.slice(0, problemsShown))
    say(`${where}: ${reason}`.replace(/\p{C}/gu, '\ufffd').slice(0, 500));
  const { length } = desk.problems;
  if (length > problemsShown) say(`… and ${length - problemsShown} more`);
  if (length > 0) say(`${length} ${length === 1 ? 'problem' : 'problems'}`);
  return Math.min(length, 1);
}

function read() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/(?<=')\. /)[0]);
  }
}

function fail(message: string): never {
  throw new UsageError(message);
}
