import type { Exchange } from './exchanges.ts';

/** How fast a request must arrive, and how much memory bodies may use. */
export type BodyLimits = {
  /** Time for the headers, from the opening of the connection or the first byte of the request. */
  headersMsMax: number;
  /** Time for a whole body that is held in memory, from the end of the headers. */
  bodyMsMax: number;
  /** A file that streams to disk must arrive at this rate once the grace period is over. */
  fileBytesPerSecondMin: number;
  fileGraceMs: number;
  /** Memory for all arriving bodies that do not stream to disk. Above this limit the oldest are refused. */
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
  /** Too slow: the caller refuses these. */
  late: Exchange[];
  /** The oldest when all bodies together hold too much memory: the caller refuses these. */
  overmuch: Exchange[];
  /** Answered, but their bodies do not end: the caller disconnects these. */
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

/** Picks the oldest until the rest fit the limit. An honest client's body arrives quickly, so it is rarely old. */
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
