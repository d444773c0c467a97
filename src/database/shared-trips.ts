import type pg from 'pg';
import type { SqlText } from './sql.ts';
import type { Asked, Outcome } from './statement.ts';
import { travel } from './trip.ts';

/** How many trips are under way before what is asked next waits for one of them to come back. */
const tripsMax = 2;
/** So long it waits at most: what holds them up should hold up nobody else. */
const waitMs = 10;
const statementsMax = 20;

/**
 * Round trips to the database that statements share: those of one turn of the event loop, and those that come while the trips
 * of others are under way, go there as one write, and their answers come back as one. The system calls and the waking up of two
 * processes cost more than such a statement itself. For statements that are quick, read only and wait for no lock: they are
 * run one after another.
 */
export function openSharedTrips(pool: pg.Pool, timeoutMs: number): (statement: SqlText) => Promise<Outcome> {
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
        // Another trip may have taken all of them while this one waited for its connection.
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
            // They are among those that boarded.
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

/** Numbers the turns of the event loop in which something is asked. */
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

/** In which of the turns, which are counted: what is asked together travels together, in its order. */
type Waiting = Asked & { askedIn: number };

/** Takes the first of those who wait. */
function board(waiting: Waiting[]): Waiting[] {
  let count = Math.min(waiting.length, statementsMax);
  while (count > 0 && waiting[count]?.askedIn === waiting[count - 1]?.askedIn) count++;
  return waiting.splice(0, count);
}
