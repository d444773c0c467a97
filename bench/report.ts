import type { Goal } from './operation.ts';
import type { Size } from './world.ts';

export type Figures = {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the answering process for one request. A busy machine affects this figure least. */
  cpuMicros: number;
  /** Processor time of each node of the database for one request, the coordinator of a cluster first. */
  nodeMicros: number[];
  /** Delay of the answering process's event loop, 99th percentile, without the timer's own interval. */
  loopDelayP99Ms: number;
};

export type OperationReport = {
  name: string;
  goal: Goal;
  /** Medians of the rounds. */
  service: Figures;
  limit: Figures;
  /** The service's requests a second divided by the limit's: the main figure. */
  ratio: number;
  /** The limit's SQL in a loop, without HTTP. Null for an operation without SQL. */
  driverPerSecond: number | null;
  /** The service's latency for a single client, if that is a goal. */
  alone?: { p50Ms: number; p99Ms: number };
  rounds: { service: Figures[]; limit: Figures[] };
};

/** The figures of one run, as `--json` writes them. */
export type Report = {
  at: string;
  node: string;
  processor: string;
  processors: number;
  /** The machine's load over the last minute, when the run began. More than a few tenths is noise. */
  loadBefore: number;
  size: Size;
  ticketCount: number;
  /** The time to make the data. Null if an earlier run kept the data. */
  fillSeconds: number | null;
  /** Processes of the service. */
  processes: number;
  secondsPerRound: number;
  rounds: number;
  /** The start before the measured start. It may have compiled all code. */
  firstStartMs: number;
  /** The memory of the largest process, and of all processes. */
  service: { startMs: number; residentMb: number; residentMbTogether: number };
  /** Fastify alone, answering a constant. */
  fastifyPerSecond: number;
  operations: OperationReport[];
  imported?: ImportReport;
};

/** The time and memory of an mbox import. */
export type ImportReport = { mails: number; sizeMb: number; mailsPerSecond: number; peakMb: number | null };

/** Reports progress on standard error, since the table goes to standard output. */
export function tell(line: string): void {
  console.error(line);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

export function medianFigures(rounds: readonly Figures[]): Figures {
  return {
    requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    cpuMicros: median(rounds.map(({ cpuMicros }) => cpuMicros)),
    nodeMicros: (rounds[0]?.nodeMicros ?? []).map((_, node) =>
      median(rounds.map(({ nodeMicros }) => nodeMicros[node] ?? Number.NaN)),
    ),
    loopDelayP99Ms: median(rounds.map(({ loopDelayP99Ms }) => loopDelayP99Ms)),
  };
}

/** The goals of the service itself. */
const residentMbMax = 256;
const loopDelayP99MsMax = 20;
const startMsMax = 2_000;

export function reportText(report: Report): string {
  const { service, operations, loadBefore, size, fillSeconds } = report;
  const worst = operations.reduce(
    (most, { name, service: { loopDelayP99Ms } }) => (loopDelayP99Ms > most.ms ? { name, ms: loopDelayP99Ms } : most),
    { name: 'none', ms: 0 },
  );
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed');
  const withAlone = operations.filter(({ alone }) => alone !== undefined);
  return [
    [
      `${size}: ${report.ticketCount.toLocaleString('en')} tickets` +
        (fillSeconds === null ? '' : `, made in ${fillSeconds.toFixed(0)} s`),
      `medians of ${report.rounds} rounds of ${report.secondsPerRound} s`,
      `${report.processors} × ${report.processor}`,
      report.processes === 1 ? 'one process' : `${report.processes} processes`,
    ].join('; '),
    '',
    operationsTable(report),
    '',
    ...(withAlone.length === 0 ? [] : [aloneTable(withAlone), '']),
    `Fastify alone answers ${whole(report.fastifyPerSecond)} requests/s.`,
    [
      `Ready after ${service.startMs} ms (goal: < ${startMsMax}, ${verdict(service.startMs < startMsMax)})`,
      `the start before it took ${report.firstStartMs} ms`,
      `resident in the end ${service.residentMb} MB ` +
        `(goal: < ${residentMbMax}, ${verdict(service.residentMb < residentMbMax)})` +
        `${report.processes === 1 ? '' : `, and all processes ${service.residentMbTogether} MB`};`,
    ].join('; '),
    `event-loop delay p99 at most ${worst.ms.toFixed(1)} ms, of ${worst.name} ` +
      `(goal: < ${loopDelayP99MsMax}, ${verdict(worst.ms < loopDelayP99MsMax)}).`,
    ...(report.imported === undefined ? [] : [importText(report.imported)]),
    'Mail from a provider to ticket: node bench/prove/mail-latency.ts.',
    ...(loadBefore > 0.5
      ? [`The machine was busy before the run (load ${loadBefore.toFixed(1)}): the figures are noisy.`]
      : []),
  ].join('\n');
}

const importedPerSecondMin = 200;
const importMbMax = 300;

function importText({ mails, sizeMb, mailsPerSecond, peakMb }: ImportReport): string {
  const isMet = mailsPerSecond >= importedPerSecondMin && (peakMb ?? 0) < importMbMax;
  return [
    `Import of ${whole(mails)} mails (${sizeMb.toFixed(0)} MB): ${whole(mailsPerSecond)} mails/s,`,
    `at most ${peakMb?.toFixed(0) ?? '?'} MB resident`,
    `(goal: ≥ ${importedPerSecondMin}, < ${importMbMax} MB, ${isMet ? 'met' : 'missed'}).`,
  ].join(' ');
}

function operationsTable({ operations, size }: Report): string {
  const figures = ({ requestsPerSecond, p50Ms, p99Ms, cpuMicros, nodeMicros, loopDelayP99Ms }: Figures): string[] => [
    whole(requestsPerSecond),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    whole(cpuMicros),
    nodeMicros.map(whole).join(' + '),
    loopDelayP99Ms.toFixed(1),
  ];
  const each = ['p50 ms', 'p99 ms', 'cpu µs', 'database µs', 'loop ms'];
  return tableText([
    ['operation', 'requests/s', ...each, 'p99/p50', 'limit/s', ...each, 'driver/s', 'ratio', 'goal'],
    ...operations.map((operation) => {
      const { name, service, limit, driverPerSecond, ratio } = operation;
      return [
        name,
        ...figures(service),
        spreadOf(operation).toFixed(1),
        ...figures(limit),
        driverPerSecond === null ? '' : whole(driverPerSecond),
        ratio.toFixed(2),
        missedGoals(operation, size).join(', ') || 'met',
      ];
    }),
  ]);
}

function spreadOf({ service }: OperationReport): number {
  return service.p99Ms / service.p50Ms;
}

/** The goals that an operation missed. */
function missedGoals(operation: OperationReport, size: Size): string[] {
  const { goal, ratio, alone } = operation;
  const { ratioMin, spreadMax = Number.POSITIVE_INFINITY, aloneP99MsMax = Number.POSITIVE_INFINITY } = goal;
  return [
    ...(ratio < ratioMin ? [`ratio < ${ratioMin}`] : []),
    ...(spreadOf(operation) > spreadMax ? [`p99 > ${spreadMax} p50`] : []),
    ...(size === 'large' && (alone?.p99Ms ?? 0) >= aloneP99MsMax ? [`alone p99 ≥ ${aloneP99MsMax} ms`] : []),
  ];
}

function aloneTable(operations: readonly OperationReport[]): string {
  return tableText([
    ['with one client', 'p50 ms', 'p99 ms'],
    ...operations.map(({ name, alone }) => [name, alone?.p50Ms.toFixed(1) ?? '', alone?.p99Ms.toFixed(1) ?? '']),
  ]);
}

/** Pads columns to their widest cell, the first aligned left and the others right. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** A whole number with separators. */
export function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en');
}
