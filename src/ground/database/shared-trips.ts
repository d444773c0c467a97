import type pg from 'pg';
import type { SqlText } from './sql.ts';
import type { Asked, SqlResult } from './statement.ts';
import { travel } from './trip.ts';

/** When this many trips are under way, further statements wait for one of them to come back. */
const tripsMax = 2;
/** The longest wait for a trip to come back, so that slow trips do not delay other statements. */
const waitMs = 10;
const statementsMax = 20;

/**
 * Round trips to the database that statements share. Statements of one event loop turn travel together, and so do
 * statements that arrive while other trips are under way: one write sends them, and one read brings their results.
 * System calls and waking two processes cost more than such a statement itself.
 * Only for quick reads that wait for no lock, because PostgreSQL runs the statements of a trip one after another.
 */
export function openSharedTrips(pool: pg.Pool, timeoutMs: number): (statement: SqlText) => Promise<SqlResult> {
  const waiting: Waiting[] = [];
  const turns = countTurns();
  let underWay = 0;
  let turnEnd: NodeJS.Immediate | undefined;
  let impatience: NodeJS.Timeout | undefined;

  const leave = (): void => {
    if (waiting.length === 0) return;
    underWay++;
    const waitedFrom = turns.last();
    const comeBack = (): void => {
      underWay--;
      if (underWay < tripsMax) leave();
      else beImpatient();
    };
    pool.connect().then(
      (client) => {
        const asked = board(waiting);
        // Another trip may have taken all statements while this trip waited for its connection.
        if (asked.length === 0) {
          client.release();
          comeBack();
          return;
        }
        travel(client, {
          asked,
          timeoutMs,
          onArrival: ({ left, isBroken }) => {
            client.release(isBroken);
            // The cast is safe: `left` is a part of `asked`.
            waiting.unshift(...(left as Waiting[]));
            comeBack();
          },
        });
      },
      (error: Error) => {
        const refused = waiting.filter(({ askedIn }) => askedIn <= waitedFrom);
        waiting.splice(0, refused.length);
        for (const { reject } of refused) reject(error);
        comeBack();
      },
    );
  };
  const beImpatient = (): void => {
    if (impatience !== undefined || waiting.length === 0) return;
    impatience = setTimeout(() => {
      impatience = undefined;
      leave();
    }, waitMs);
  };
  return (statement) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, resolve, reject, askedIn: turns.current() });
      if (underWay >= tripsMax) beImpatient();
      else if (turnEnd === undefined) {
        turnEnd = setImmediate(() => {
          turnEnd = undefined;
          leave();
        });
      }
    });
}

/** Numbers the event loop turns in which statements are asked. */
function countTurns(): { current(): number; last(): number } {
  let turn = 0;
  let isOpen = false;
  return {
    last: () => turn,
    current: () => {
      if (!isOpen) {
        isOpen = true;
        turn++;
        queueMicrotask(() => {
          isOpen = false;
        });
      }
      return turn;
    },
  };
}

/** `askedIn` numbers the turn: statements of one turn travel together, in their order. */
type Waiting = Asked & { askedIn: number };

/** Takes the first waiting statements, without splitting a turn. */
function board(waiting: Waiting[]): Waiting[] {
  let count = Math.min(waiting.length, statementsMax);
  while (count > 0 && waiting[count]?.askedIn === waiting[count - 1]?.askedIn) count++;
  return waiting.splice(0, count);
}
