import type { Exchange } from './connections.ts';

/** How fast a request must arrive, and how much of bodies is held. */
export type BodyLimits = {
  /** For the headers, from the first byte or the opening of the connection on. */
  headersMsMax: number;
  /** For the whole of a body that is held in memory, from the end of its headers on. */
  bodyMsMax: number;
  /** A file that streams to disk need only arrive at this rate, counted from when the grace is over. */
  fileBytesPerSecondMin: number;
  fileGraceMs: number;
  /** For all bodies together that are still arriving and are held in memory: past that the oldest are given up. */
  heldBytesMax: number;
  /** Of one body behind its answer. */
  droppedBytesMax: number;
  /** How often all this is looked at. */
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
  /** To be refused: their time is over. */
  late: Exchange[];
  /** To be refused: there are too many. */
  overmuch: Exchange[];
  /** Refused or answered long enough ago: the connection is to be cut. */
  overdue: Exchange[];
};

/** Judges the requests whose bodies are still arriving. */
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

/** The oldest of them, as many as leave the others within the bound: an honest client's body arrives within a moment. */
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
