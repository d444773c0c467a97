import { decodeCursor, encodeCursor } from '../lib/cursor.ts';
import { isUuid, nilId } from '../lib/ids.ts';

/**
 * How far a reader of facts has come. Facts are in the order of their transactions' ids, of one transaction in the order of
 * their own. A fact has two parts: its event, which is everybody's, and behind it the notification of whom it concerns.
 */
export type Position = {
  /** Which history of the database it is of: a restore, or another server taking over, begins a new one. */
  epoch: string;
  transactionId: bigint;
  factId: string;
  part: 'event' | 'notification';
};

/** Behind everything that transactions before this one wrote. */
export function startOf(epoch: string, transactionId: bigint): Position {
  return { epoch, transactionId, factId: nilId, part: 'notification' };
}

/** Of no history that there ever was. */
export const nowhere: Position = startOf('', 0n);

/** Of two positions of one epoch, whether the first one is nearer to the beginning. */
export function isBefore(one: Position, other: Position): boolean {
  if (one.transactionId !== other.transactionId) return one.transactionId < other.transactionId;
  if (one.factId !== other.factId) return one.factId < other.factId;
  return one.part === 'event' && other.part === 'notification';
}

/** As the id of an event, which a client sends back as `Last-Event-ID`. */
export function encodePosition({ epoch, transactionId, factId, part }: Position): string {
  return encodeCursor([epoch, String(transactionId), factId, part === 'event' ? 0 : 1]);
}

/** @returns undefined for a text that no event of ours had as its id */
export function decodePosition(text: string): Position | undefined {
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
