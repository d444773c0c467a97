import type pg from 'pg';
import { runOn as runAtOnce } from '../../src/ground/database/trip.ts';

export * from '../../src/ground/database/trip.ts';

const ends = new WeakMap<pg.ClientBase, Promise<unknown>>();

/** Right for requests that succeed: a rollback would overtake statements that nobody awaits. */
export const runOn: typeof runAtOnce = (client, ...given) => {
  const outcome = (ends.get(client) ?? Promise.resolve()).then(() => runAtOnce(client, ...given));
  ends.set(
    client,
    outcome.catch(() => {}),
  );
  return outcome;
};
