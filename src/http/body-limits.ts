import type { Exchange } from './connections.ts';

/** How fast a request must arrive, and how much of bodies is held. */
export type BodyLimits = {
  /** For the headers, from the opening of the connection or the first byte of the request. */
  headersMsMax: number;
  /** For the whole of a body that is held in memory, from the end of the headers. */
  bodyMsMax: number;
  /** A file that streams to disk must arrive at this rate once the grace period is over. */
  fileBytesPerSecondMin: number;
  fileGraceMs: number;
  /** For all bodies together that are still arriving and held in memory: beyond it the oldest are refused. */
  heldBytesMax: number;
  /** How much of one body is read and dropped after its answer. */
  droppedBytesMax: number;
  /** How often the limits are checked. */
  lookMs: number;
};

const mebibyte = 1024 * 1024;

export const bodyLimitsDefault: BodyLimits = {
  headersMsMax: 30_000,
  bodyMsMax: 30_000,
  fileBytesPerSecondMin: 8 * 1024,
  fileGraceMs: 60_000,
  heldBytesMax: 128 * mebibyte,
  droppedBytesMax: 64 * mebibyte,
  lookMs: 1_000,
};

type Late = {
  /** Too slow: to be refused. */
  late: Exchange[];
  /** The oldest while all bodies hold too much: to be refused. */
  overmuch: Exchange[];
  /** Answered, but their bodies do not end: to be disconnected. */
  overdue: Exchange[];
};

/** Finds the requests that exceed the limits while their bodies are still arriving. */
export function findLate(arriving: readonly Exchange[], limits: BodyLimits, nowMs: number): Late {
  const answered = arriving.filter(({ droppedUntilMs }) => droppedUntilMs !== undefined);
  const unanswered = arriving.filter(({ droppedUntilMs }) => droppedUntilMs === undefined);
  const late = unanswered.filter((exchange) => isLate(exchange, limits, nowMs));
  return {
    late,
    overmuch: oldestPast(
      limits.heldBytesMax,
      unanswered.filter((exchange) => !exchange.isFile && !late.includes(exchange)),
    ),
    overdue: answered.filter(
      (exchange) =>
        nowMs > (exchange.droppedUntilMs ?? 0) ||
        (exchange.response.writableFinished &&
          (receivedBytes(exchange) > limits.droppedBytesMax || isLate(exchange, limits, nowMs))),
    ),
  };
}

function isLate(exchange: Exchange, limits: BodyLimits, nowMs: number): boolean {
  const elapsedMs = nowMs - exchange.startedAtMs;
  if (!exchange.isFile) return elapsedMs > limits.bodyMsMax;
  const dueBytes = ((elapsedMs - limits.fileGraceMs) / 1_000) * limits.fileBytesPerSecondMin;
  return elapsedMs > limits.fileGraceMs && receivedBytes(exchange) < dueBytes;
}

/** As many of the oldest as bring the others below the limit: the body of an honest client arrives quickly. */
function oldestPast(bytesMax: number, held: Exchange[]): Exchange[] {
  let excess = held.reduce((sum, exchange) => sum + receivedBytes(exchange), -bytesMax);
  if (excess <= 0) return [];
  return held
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    .filter((exchange) => {
      const isExcess = excess > 0;
      excess -= receivedBytes(exchange);
      return isExcess;
    });
}

function receivedBytes({ socket, bytesBefore }: Exchange): number {
  return socket.bytesRead - bytesBefore;
}
