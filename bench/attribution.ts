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
import { median, tableText, tell, whole } from './report.ts';
import { askingOf } from './requests.ts';
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
  'node bench/attribution.ts [--without <mechanism>]… [--only <operation>]… [--rounds 3] [--seconds 4] [--size small|web|large] [--data <folder>] [--json <file>]';

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

/** The service as it is. It is measured twice a round; the second figure shows the noise. */
const everything = 'everything';
const again = 'everything again';

function isTouched(name: string, { name: operation, isWrite }: Operation): boolean {
  const touches = mechanisms[name]?.touches;
  const isSearch = operation.startsWith('search-');
  if (touches === undefined) return true;
  if (touches === 'searching') return isSearch;
  return operation !== twoWords && (touches === 'all' || isWrite === (touches === 'writing'));
}

type Figures = { requestsPerSecond: number; cpuMicros: number };
type Measured = { round: number; without: string; operation: string } & Figures;

type Place = ReturnType<typeof readOptions> & {
  folder: string;
  serviceOptions: Parameters<typeof startService>[0];
  pool: pg.Pool;
  requests: ReadonlyMap<string, (readonly autocannon.Request[])[]>;
  /** The service with everything, idle beside the one that is measured. */
  reference: Serving;
};

/** Few enough that they are sent several times. So the rounds ask the same, and building them takes no time. */
const requestsEach = 500;

async function attribute(options: ReturnType<typeof readOptions>, house: AsyncDisposableStack): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-attribution-'));
  house.defer(() => rm(folder, { recursive: true, force: true }));
  const { size, dataFolder: keptFolder } = options;
  const chosen = operations.filter(({ name }) => options.only.includes(name));
  const isWritten = chosen.some(({ isWrite }) => isWrite);
  const { url: databaseUrl } = await openData(house, { size, folder, keptFolder, isWritten });
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
  const reference = await startService(serviceOptions);
  house.defer(reference.stop);
  const place: Place = { ...options, folder, serviceOptions, pool, requests, reference };
  // All reading before all writing, so that readers find the data as it was made.
  const phases = [chosen.filter(({ isWrite }) => !isWrite), chosen.filter(({ isWrite }) => isWrite)];
  const measured: Measured[] = [];
  for (const phase of phases) {
    for (let round = 1; round <= options.rounds && phase.length > 0; round++)
      measured.push(...(await measureRound(phase, round, place)));
  }
  return measured;
}

async function measureRound(phase: readonly Operation[], round: number, place: Place): Promise<Measured[]> {
  const turns = [everything, ...place.without.filter((_, index) => index % 2 === 0), again];
  turns.push(...place.without.filter((_, index) => index % 2 === 1));
  // Each round begins elsewhere, so that no mechanism is always measured first.
  const from = Math.floor(((round - 1) * turns.length) / place.rounds);
  const measured: Measured[] = [];
  for (const without of [...turns.slice(from), ...turns.slice(0, from)]) {
    const touched = phase.filter((operation) => isTouched(without, operation));
    if (touched.length > 0) measured.push(...(await measureService(without, touched, round, place)));
  }
  return measured;
}

async function measureService(
  without: string,
  touched: readonly Operation[],
  round: number,
  place: Place,
): Promise<Measured[]> {
  const isPlain = without in mechanisms;
  const settings = isPlain ? settingsWithout(without) : {};
  const service = await startService({ ...place.serviceOptions, settings });
  try {
    const log = await readFile(join(place.folder, 'service.log'), 'utf8');
    if (isPlain && !log.includes(replacedLine(without))) throw new Error(`${without} was not replaced`);
    const measured: Measured[] = [];
    for (const operation of touched) {
      if (isPlain && round === 1 && !isFoundOtherwise(without, operation))
        await compareAnswers(operation, service, place);
      const figures = await measureOnce(operation, service, place);
      measured.push({ round, without, operation: operation.name, ...figures });
    }
    const told = measured.map(({ operation, requestsPerSecond }) => `${operation} ${whole(requestsPerSecond)}/s`);
    tell(`round ${round}, ${isPlain ? `without ${without}` : without}: ${told.join(', ')}`);
    return measured;
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

/** Without its further ways a search takes no unfinished word for a whole one, and so finds more. */
function isFoundOtherwise(without: string, { name }: Operation): boolean {
  return without === 'search-ways' && name === twoWords;
}

const comparedAnswers = 20;

/** Throws unless the service gives the same answers as the one with everything. */
async function compareAnswers({ name }: Operation, service: Serving, { requests, reference }: Place): Promise<void> {
  const asked = requests.get(name)?.[0]?.slice(0, comparedAnswers) ?? [];
  for (const request of asked) {
    const [plain, whole] = [await answerOf(service.url, request), await answerOf(reference.url, request)];
    if (plain !== whole)
      throw new Error(`${request.method} ${request.path} is answered otherwise:\n${plain}\n${whole}`);
  }
}

/** The status and the body, without what differs each time: ids, times, numbers, and the cursors that hold them. */
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
  const isRead = method === 'GET';
  const steady = text.replace(/"nextCursor":"[^"]*"/g, '"nextCursor":"…"');
  return `${response.status} ${isRead ? steady : steady.replace(/[0-9a-f]{8}-[-0-9a-f]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+/g, '…')}`;
}

/** Rows are mechanisms, columns operations; each cell is the median of the rounds' shares. */
function sharesTable(measured: readonly Measured[], without: readonly string[], figure: keyof Figures): string {
  const columns = operations.filter(({ name }) => measured.some(({ operation }) => operation === name));
  const inRound = (operation: string, round: number, names: readonly string[]): number[] =>
    measured
      .filter((one) => one.operation === operation && one.round === round && names.includes(one.without))
      .map((one) => one[figure]);
  const rounds = [...new Set(measured.map(({ round }) => round))];
  const meanIn = (operation: string, round: number): number => {
    const figures = inRound(operation, round, [everything, again]);
    return figures.reduce((sum, each) => sum + each, 0) / figures.length;
  };
  const shareOf = (operation: string, names: readonly string[], base: (round: number) => number): string => {
    const shares = rounds.flatMap((round) => inRound(operation, round, names).map((each) => each / base(round)));
    return shares.length === 0 ? '' : median(shares).toFixed(2);
  };
  return tableText([
    [figure === 'cpuMicros' ? 'processor time without' : 'requests/s without', ...columns.map(({ name }) => name)],
    [
      `nothing (${figure === 'cpuMicros' ? 'µs' : 'per second'})`,
      ...columns.map(({ name }) => whole(median(rounds.map((round) => meanIn(name, round))))),
    ],
    [
      'nothing, second over first',
      ...columns.map(({ name }) => shareOf(name, [again], (round) => inRound(name, round, [everything])[0] ?? 0)),
    ],
    ...without.map((mechanism) => [
      mechanism,
      ...columns.map(({ name }) => shareOf(name, [mechanism], (round) => meanIn(name, round))),
    ]),
  ]);
}

const house = new AsyncDisposableStack();
try {
  const options = readOptions();
  const measured = await orInterrupted(attribute(options, house));
  const { rounds, seconds, size, without, jsonPath } = options;
  console.log(`\n${size} data, medians of ${rounds} rounds of ${seconds} s\n`);
  console.log(sharesTable(measured, without, 'requestsPerSecond'));
  console.log(`\n${sharesTable(measured, without, 'cpuMicros')}\n`);
  for (const name of without) console.log(`${name}: ${mechanisms[name]?.instead}`);
  if (jsonPath !== undefined) await writeFile(jsonPath, `${JSON.stringify(measured, null, 2)}\n`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`usage: ${usage}`);
  process.exitCode = 1;
}
await house.disposeAsync();
process.exit();
