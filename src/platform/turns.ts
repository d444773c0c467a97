import type pg from 'pg';
import type { SqlText } from './sql.ts';
import type { Asked, Outcome } from './statement.ts';
import { type Arrival, travel } from './trip.ts';

/** One transaction on a connection, from its first statement to its end. */
export type Turns = {
  /** Leaves with the end of this turn of the event loop, behind `begin`. */
  send(statement: SqlText): Promise<Outcome>;
  /** Resolves once all that was sent is durable; throws when nothing of it is, or nobody can say. */
  commit(): Promise<void>;
  /** @returns whether the connection can be used again */
  rollBack(): Promise<boolean>;
};

/**
 * Sends what is asked in one turn of the event loop as one round trip. Where that is all that a transaction asks, its end is
 * the trip's own: PostgreSQL carries out the statements before a `Sync` as one transaction, without `begin` and `commit`.
 */
export function byTurns(client: pg.ClientBase): Turns {
  let waiting: Asked[] = [];
  let isOpen = false;
  let isBroken = false;

  const arrive = ({ error, left, isBroken: isEnd }: Arrival): void => {
    isBroken ||= isEnd;
    for (const { reject } of left) reject(error);
  };
  const leave = (): void => {
    if (waiting.length === 0) return;
    const asked = isOpen ? waiting : [begin, ...waiting];
    isOpen = true;
    waiting = [];
    travel(client, asked, arrive);
  };
  const send = (statement: SqlText): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      // Behind all that goes on without waiting for anybody.
      if (waiting.length === 0) process.nextTick(leave);
      waiting.push({ statement, resolve, reject });
    });
  const sendWhole = (asked: Asked[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const onArrival = (arrival: Arrival): void => {
        arrive(arrival);
        if (arrival.error === undefined) resolve();
        else reject(arrival.error);
      };
      travel(client, asked, onArrival, { isWhole: true });
    });

  return {
    send,
    commit: async () => {
      if (!isOpen) {
        const asked = waiting;
        waiting = [];
        if (asked.length > 0) await sendWhole(asked);
        return;
      }
      const { tag } = await send({ text: 'commit', values: [], name: 'commit' });
      // PostgreSQL answers the commit of an aborted transaction with a quiet rollback.
      if (tag !== 'COMMIT') throw new Error('the transaction was aborted: an error of a statement was swallowed');
    },
    rollBack: async () => {
      // Somebody may wait for what was asked in this turn.
      leave();
      if (!isOpen) return !isBroken;
      return client.query('rollback').then(
        () => !isBroken,
        () => false,
      );
    },
  };
}

/** Should it fail, so does all that is behind it. */
const begin: Asked = {
  statement: { text: 'begin', values: [], name: 'begin' },
  resolve: () => {},
  reject: () => {},
};
