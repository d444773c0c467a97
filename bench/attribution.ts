/**
 * What each speed mechanism of the service brings: `node bench/attribution.ts` starts the service with everything and,
 * in turn, without each mechanism (`bench/without/`), on the same data, and prints requests a second and processor time
 * as shares of those with everything. In the first round it compares the answers too.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type autocannon from 'autocannon';
import type pg from 'pg';
import { openData } from './data.ts';
import { type Serving, startService } from './house.ts';
import { orInterrupted } from './interrupted.ts';
import { openLimitPool } from './limit-pool.ts';
import { drive } from './load.ts';
import { untilIdle } from './measure.ts';
import type { Operation } from './operation.ts';
import { appendNote } from './operations/append-note.ts';
import { createTicket } from './operations/create-ticket.ts';
import { listings } from './operations/list-tickets.ts';
import { readTicket } from './operations/read-ticket.ts';
import { searches } from './operations/search.ts';
import { wholeNumber } from './options.ts';
import { tell, whole } from './report.ts';
import { askingOf } from './requests.ts';
import { again, everything, type Figures, type Measured, sharesTable } from './shares.ts';
import { mechanisms, replacedLine, settingsWithout } from './without/mechanisms.ts';
import { type Size, sizes, worldOf } from './world.ts';

const named = (name: string): Operation => {
  const operation = [readTicket, createTicket, appendNote, ...listings, ...searches].find((each) => each.name === name);
  if (operation === undefined) throw new Error(`no operation is called ${name}`);
  return operation;
};
/** Common and rare words are found without the further ways of a search, two words are not. */
const twoWords = 'search-two-words';
const operations = [
  ...[
    'read-ticket',
    'list-tickets',
    'search-common-word',
    'search-rare-word',
    twoWords,
    'create-ticket',
    'append-note',
  ],
].map(named);

const usage =
  'node bench/attribution.ts [--without <mechanism>]… [--only <operation>]… [--rounds 3] [--seconds 4] ' +
  '[--size small|web|large] [--data <folder>] [--json <file>]';

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      without: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      size: { type: 'string', default: 'web' },
      data: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const chosen = [...values.without, ...positionals];
  refuseUnknown('--size', [values.size], Object.keys(sizes));
  refuseUnknown('--without', chosen, Object.keys(mechanisms));
  const names = operations.map(({ name }) => name);
  refuseUnknown('--only', values.only, names);
  return {
    without: chosen.length === 0 ? Object.keys(mechanisms) : chosen,
    only: values.only.length === 0 ? names : values.only,
    rounds: wholeNumber('--rounds', values.rounds, 100),
    seconds: wholeNumber('--seconds', values.seconds, 3_600),
    // Checked above.
    size: values.size as Size,
    dataFolder: values.data,
    jsonPath: values.json,
  };
}

function refuseUnknown(option: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${option}: "${unknown}" is none of ${known.join(', ')}`);
}

function isTouched(name: string, { name: operation, isWrite }: Operation): boolean {
  const touches = mechanisms[name]?.touches;
  const isSearch = operation.startsWith('search-');
  if (touches === undefined) return true;
  if (touches === 'searching') return isSearch;
  return operation !== twoWords && (touches === 'all' || isWrite === (touches === 'writing'));
}

type Outcome = {
  measured: Measured[];
  /** Operations that failed or were answered otherwise. The run goes on without them. */
  faults: string[];
};

type Place = ReturnType<typeof readOptions> &
  Outcome & {
    folder: string;
    serviceOptions: Parameters<typeof startService>[0];
    pool: pg.Pool;
    requests: ReadonlyMap<string, (readonly autocannon.Request[])[]>;
    /** The service with everything, idle beside the measured service. */
    reference: Serving;
  };

/** Few enough that they are sent several times. So the rounds ask the same, and building them takes no time. */
const requestsEach = 500;

/** Adds to `outcome` as it goes, so that an interrupted run still has figures. */
async function attribute(
  options: ReturnType<typeof readOptions>,
  house: AsyncDisposableStack,
  outcome: Outcome,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-attribution-'));
  house.defer(() => rm(folder, { recursive: true, force: true }));
  const { size, dataFolder: keptFolder } = options;
  const chosen = operations.filter(({ name }) => options.only.includes(name));
  const { url: databaseUrl } = await openData(house, { size, folder, keptFolder });
  const authSecret = randomBytes(32).toString('base64url');
  const pool = openLimitPool(databaseUrl);
  house.defer(() => pool.end());
  const requests = new Map<string, (readonly autocannon.Request[])[]>();
  for (const operation of chosen) {
    const asking = await askingOf(operation, { world: worldOf(size), pool, authSecret }, 1, requestsEach);
    // The cast holds: none of these operations follows from its answers.
    requests.set(operation.name, asking as autocannon.Request[][]);
  }
  const serviceOptions = { databaseUrl, folder, authSecret };
  // Without a worker: the measured service does all the work that the requests leave behind.
  const reference = await startService({ ...serviceOptions, settings: { ROLES: 'api' } });
  house.defer(reference.stop);
  const place: Place = { ...options, ...outcome, folder, serviceOptions, pool, requests, reference };
  // All reading before all writing, so that readers find the data as it was made.
  const phases = [chosen.filter(({ isWrite }) => !isWrite), chosen.filter(({ isWrite }) => isWrite)];
  for (const phase of phases) {
    for (let round = 1; round <= options.rounds && phase.length > 0; round++) await measureRound(phase, round, place);
  }
}

async function measureRound(phase: readonly Operation[], round: number, place: Place): Promise<void> {
  const turns = [everything, ...place.without.filter((_, index) => index % 2 === 0), again];
  turns.push(...place.without.filter((_, index) => index % 2 === 1));
  // Each round begins elsewhere, so that no mechanism is always measured first.
  const from = Math.floor(((round - 1) * turns.length) / place.rounds);
  for (const without of [...turns.slice(from), ...turns.slice(0, from)]) {
    const touched = phase.filter((operation) => isTouched(without, operation));
    if (touched.length > 0) await measureService(without, touched, round, place);
  }
}

async function measureService(
  without: string,
  touched: readonly Operation[],
  round: number,
  place: Place,
): Promise<void> {
  const isPlain = without in mechanisms;
  const settings = isPlain ? settingsWithout(without) : {};
  const service = await startService({ ...place.serviceOptions, settings });
  try {
    const log = await readFile(join(place.folder, 'service.log'), 'utf8');
    if (isPlain && !log.includes(replacedLine(without))) throw new Error(`${without} was not replaced`);
    for (const operation of touched) {
      const about = `round ${round}, ${isPlain ? `without ${without}` : without}, ${operation.name}`;
      try {
        if (isPlain && round === 1 && !isFoundOtherwise(without, operation))
          await compareAnswers(operation, service, place);
        const figures = await measureOnce(operation, service, place);
        place.measured.push({ round, without, operation: operation.name, ...figures });
        tell(`${about}: ${whole(figures.requestsPerSecond)}/s`);
      } catch (error) {
        const fault = `${about}: ${error instanceof Error ? error.message : error}`;
        tell(fault);
        place.faults.push(fault);
      }
    }
  } finally {
    await service.stop();
  }
}

const warmUpSeconds = 1;

async function measureOnce(
  { name }: Operation,
  { url, read }: Serving,
  { pool, requests, seconds }: Place,
): Promise<Figures> {
  const asking = requests.get(name) ?? [];
  await untilIdle(pool);
  await drive({ url, asking, seconds: warmUpSeconds });
  await untilIdle(pool);
  const before = await read();
  const { requests: count, requestsPerSecond } = await drive({ url, asking, seconds });
  const after = await read();
  return { requestsPerSecond, cpuMicros: ((after.cpuSeconds - before.cpuSeconds) / count) * 1e6 };
}

/** Without its further ways a search takes no unfinished word for a whole word, and so finds more. */
function isFoundOtherwise(without: string, { name }: Operation): boolean {
  return without === 'search-ways' && name === twoWords;
}

const comparedAnswers = 20;

/** Throws unless the service gives the same answers as the service with everything. */
async function compareAnswers({ name }: Operation, service: Serving, { requests, reference }: Place): Promise<void> {
  const asked = requests.get(name)?.[0]?.slice(0, comparedAnswers) ?? [];
  for (const request of asked) {
    const [plain, whole] = [await answerOf(service.url, request), await answerOf(reference.url, request)];
    if (plain !== whole)
      throw new Error(`${request.method} ${request.path} is answered otherwise:\n${plain}\n${whole}`);
  }
}

const idsTimesAndNumbers = /[0-9a-f]{8}-[-0-9a-f]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+/g;

/** The status and the body, without cursors. The answer to a write also lacks ids, times and numbers, which are new. */
async function answerOf(
  url: string,
  { method = 'GET', path = '', headers, body }: autocannon.Request,
): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { body: String(body) }),
  });
  const text = await response.text();
  const steady = text.replace(/"nextCursor":"[^"]*"/g, '"nextCursor":"…"');
  return `${response.status} ${method === 'GET' ? steady : steady.replace(idsTimesAndNumbers, '…')}`;
}

function print({ measured, faults }: Outcome, options: ReturnType<typeof readOptions>): void {
  const { rounds, seconds, size, without } = options;
  console.log(`\n${size} data, medians of ${rounds} rounds of ${seconds} s\n`);
  console.log(sharesTable(measured, without, 'requestsPerSecond'));
  console.log(`\n${sharesTable(measured, without, 'cpuMicros')}\n`);
  for (const name of without) console.log(`${name}: ${mechanisms[name]?.instead}`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
}

const house = new AsyncDisposableStack();
try {
  const options = readOptions();
  const outcome: Outcome = { measured: [], faults: [] };
  try {
    await orInterrupted(attribute(options, house, outcome));
  } finally {
    if (outcome.measured.length > 0) print(outcome, options);
    if (options.jsonPath !== undefined) await writeFile(options.jsonPath, `${JSON.stringify(outcome, null, 2)}\n`);
  }
  if (outcome.faults.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`usage: ${usage}`);
  process.exitCode = 1;
}
await house.disposeAsync();
process.exit();
