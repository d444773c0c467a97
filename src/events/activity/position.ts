import { decodeCursor, encodeCursor } from '../../ground/lib/cursor.ts';
import { isUuid, nilId } from '../../ground/lib/ids.ts';

/**
 * How far a reader of facts has come. Facts are ordered by the ids of their transactions, then by their own ids. A fact
 * has two parts: first its event, which everyone gets, then the notification of the members whom it concerns.
 */
export type ReaderPosition = {
  /** The database's history that the position belongs to. A restore or a failover begins a new history. */
  epoch: string;
  transactionId: bigint;
  factId: string;
  part: 'event' | 'notification';
};

/** The position after everything that earlier transactions wrote. */
export function startOf(epoch: string, transactionId: bigint): ReaderPosition {
  return { epoch, transactionId, factId: nilId, part: 'notification' };
}

/** A position outside every history, which leads to a reset. */
export const nowhere: ReaderPosition = startOf('', 0n);

/** Whether the first of two positions of one epoch is earlier. */
export function isBefore(one: ReaderPosition, other: ReaderPosition): boolean {
  if (one.transactionId !== other.transactionId) return one.transactionId < other.transactionId;
  if (one.factId !== other.factId) return one.factId < other.factId;
  return one.part === 'event' && other.part === 'notification';
}

/** Encodes a position as the id of an event, which a client sends back as `Last-Event-ID`. */
export function encodePosition({ epoch, transactionId, factId, part }: ReaderPosition): string {
  return encodeCursor([epoch, String(transactionId), factId, part === 'event' ? 0 : 1]);
}

/**
 * Encodes what an answer has read: the position before which it has read everything, and which later transactions it
 * has read too. `web/src/api/position.ts` compares it with the ids of events.
 * @param snapshot as `pg_snapshot`
 */
export function encodeRead(epoch: string, snapshot: string): string {
  const [first = '', next = '', running = ''] = snapshot.split(':');
  return encodeCursor([epoch, first, nilId, 1, next, ...running.split(',').filter(Boolean)]);
}

/** @returns undefined for a text that is not the id of an event */
export function decodePosition(text: string): ReaderPosition | undefined {
  const position = decodeCursor(text);
  if (!Array.isArray(position)) return undefined;
  const [epoch, transactionId, factId, part] = position as unknown[];
  if (typeof epoch !== 'string' || typeof transactionId !== 'string' || typeof factId !== 'string') return undefined;
  if (!/^\d{1,18}$/.test(transactionId) || !isUuid(factId) || (part !== 0 && part !== 1)) return undefined;
  return {
    epoch,
    transactionId: BigInt(transactionId),
    factId: factId.toLowerCase(),
    part: part === 0 ? 'event' : 'notification',
  };
}
