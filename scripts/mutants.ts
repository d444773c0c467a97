/**
 * Measures how well the tests notice faults: `node scripts/mutants.ts --count 200 --seed 1 --results mutants.jsonl`.
 * Plants one small fault at a time in a copy of the tree. Runs the tests of the fault's room, and for survivors the
 * whole suite. A stopped run continues from its results file. Takes about half a minute a mutant, three minutes a
 * survivor.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomOf } from '../emulators/random.ts';
import { type Mutation, mutate, mutationsOf } from './mutations.ts';

type Mutant = Mutation & { path: string };
type Result = Mutant & { killedBy: 'room' | 'suite' | null };

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** A timeout counts as noticed, since some mutants make the tests hang. */
const roomSecondsMax = 300;
const suiteSecondsMax = 900;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    results: { type: 'string', default: 'mutants.jsonl' },
    only: { type: 'string', default: '' },
    'room-alone': { type: 'boolean', default: false },
  },
});

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
const copy = mkdtempSync(join(tmpdir(), 'kontor-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
for (const path of tracked) cpSync(join(root, path), join(copy, path));
mkdirSync(join(copy, 'node_modules/@kontor'), { recursive: true });
for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '@kontor'))
  symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
// The packages of the tree are mutated too.
for (const name of readdirSync(join(root, 'node_modules/@kontor')))
  symlinkSync(join(copy, name), join(copy, 'node_modules/@kontor', name));

const known = existsSync(values.results) ? readResults(values.results) : [];
for (const mutant of sample(Number(values.count), Number(values.seed))) {
  if (known.some((result) => isSame(result, mutant))) continue;
  const result: Result = { ...mutant, killedBy: tryMutant(mutant) };
  known.push(result);
  appendFileSync(values.results, `${JSON.stringify(result)}\n`);
  console.log(sentenceOf(result));
}
report(known);

function sample(count: number, seed: number): Mutant[] {
  const sources = tracked.filter(
    (path) => path.startsWith(values.only) && /^(?:mail\/)?src\/.*(?<!\.test)\.ts$/.test(path),
  );
  const all = sources.flatMap((path) =>
    mutationsOf(readFileSync(join(root, path), 'utf8')).map((mutation) => ({ ...mutation, path })),
  );
  const random = randomOf(seed);
  const drawn: Mutant[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(random.below(all.length), 1));
  return drawn;
}

function tryMutant(mutant: Mutant): Result['killedBy'] {
  const path = join(copy, mutant.path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(text, mutant));
  try {
    if (!passes(roomOf(mutant.path), roomSecondsMax)) return 'room';
    if (values['room-alone'] || passes([], suiteSecondsMax)) return null;
    return 'suite';
  } finally {
    writeFileSync(path, text);
  }
}

/** The tests of the file's room. Files outside of rooms are tested by the flows. */
function roomOf(path: string): string[] {
  if (path.startsWith('mail/')) return ['mail/src/'];
  const [, room = ''] = path.split('/');
  return room.endsWith('.ts') ? ['test/flows'] : [`src/${room}/`];
}

function passes(filters: string[], secondsMax: number): boolean {
  const runner = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [runner, 'run', '--bail', '1', '--passWithNoTests', ...filters], {
    cwd: copy,
    stdio: 'ignore',
    timeout: secondsMax * 1_000,
  });
  return status === 0;
}

function readResults(path: string): Result[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Result);
}

function isSame(one: Mutant, other: Mutant): boolean {
  return one.path === other.path && one.start === other.start && one.after === other.after;
}

function sentenceOf({ path, line, before, after, killedBy }: Result): string {
  const words = `${path}:${line} ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  return killedBy === null ? `SURVIVED  ${words}` : `killed by the ${killedBy}  ${words}`;
}

function report(results: readonly Result[]): void {
  const countOf = (killedBy: Result['killedBy']) => results.filter((result) => result.killedBy === killedBy).length;
  const survivors = results.filter(({ killedBy }) => killedBy === null);
  for (const survivor of survivors) console.log(sentenceOf(survivor));
  console.log(
    [
      `${results.length} mutants: ${countOf('room')} killed by the tests of their room`,
      `${countOf('suite')} by the rest of the suite`,
      `${survivors.length} survived`,
    ].join(', '),
  );
}
