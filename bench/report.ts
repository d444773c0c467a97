import type { ProcessFigures } from './house.ts';
import type { Size } from './world.ts';

export type Figures = {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the answering process for one request; a busy machine changes it least. */
  cpuMicros: number;
};

export type OperationReport = {
  name: string;
  /** Medians of the rounds. */
  service: Figures;
  limit: Figures;
  /** The service's requests a second over the limit's: the figure that counts. */
  ratio: number;
  /** The limit's SQL in a loop, without HTTP. */
  driverPerSecond: number;
  rounds: { service: Figures[]; limit: Figures[] };
};

/** What one run measured, as `--json` writes it. */
export type Report = {
  at: string;
  node: string;
  processor: string;
  processors: number;
  /** How many processes wanted a processor, over the last minute, when the run began: more than a few tenths is noise. */
  loadBefore: number;
  size: Size;
  ticketCount: number;
  secondsPerRound: number;
  rounds: number;
  service: ProcessFigures & { startMs: number };
  /** Fastify alone, answering a constant. */
  fastifyPerSecond: number;
  operations: OperationReport[];
};

function median(values: readonly number[]): number {
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
  };
}

export function reportText(report: Report): string {
  const { service, operations, loadBefore } = report;
  const table = tableText([
    [
      'operation',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'cpu µs',
      'limit/s',
      'p50 ms',
      'p99 ms',
      'cpu µs',
      'ratio',
      'driver/s',
    ],
    ...operations.map((operation) => [
      operation.name,
      whole(operation.service.requestsPerSecond),
      operation.service.p50Ms.toFixed(1),
      operation.service.p99Ms.toFixed(1),
      whole(operation.service.cpuMicros),
      whole(operation.limit.requestsPerSecond),
      operation.limit.p50Ms.toFixed(1),
      operation.limit.p99Ms.toFixed(1),
      whole(operation.limit.cpuMicros),
      operation.ratio.toFixed(2),
      whole(operation.driverPerSecond),
    ]),
  ]);
  return [
    `${report.size}: ${report.ticketCount.toLocaleString('en')} tickets; medians of ${report.rounds} rounds of ${report.secondsPerRound} s; ${report.processors} × ${report.processor}`,
    '',
    table,
    '',
    `Fastify alone answers ${whole(report.fastifyPerSecond)} requests/s.`,
    `The service was ready after ${service.startMs} ms and ended with ${service.residentMb} MB resident; event-loop delay p99 ${service.eventLoopDelayP99Ms} ms (10 of them the clock's own).`,
    ...(loadBefore > 0.5
      ? [`The machine was busy before the run (load ${loadBefore.toFixed(1)}): the figures are noisy.`]
      : []),
  ].join('\n');
}

/** Columns as wide as they must be, the first aligned left and the others right. */
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

/** A whole number as people read it. */
export function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en');
}
