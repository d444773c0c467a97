import pg from 'pg';
import type { Asked } from '../../src/ground/database/statement.ts';
import type { runOn as runOnTrip, travel as travelTogether } from '../../src/ground/database/trip.ts';

export const travel: typeof travelTogether = (client, { asked, timeoutMs, onArrival }) => {
  void Promise.all(asked.map((each) => run(client, each, timeoutMs))).then((errors) => {
    const error = errors.find((each) => each !== undefined);
    onArrival({ left: [], isBroken: error !== undefined && !(error instanceof pg.DatabaseError) });
  });
};

export const runOn: typeof runOnTrip = (client, statement, timeoutMs, onArrival = () => {}) =>
  new Promise((resolve, reject) => {
    const asked = [{ statement, resolve, reject }];
    travel(client, { asked, timeoutMs, onArrival: ({ isBroken }) => onArrival(isBroken) });
  });

/** @returns the error, if any */
async function run(client: pg.ClientBase, { statement, resolve, reject }: Asked, timeoutMs: number | undefined) {
  try {
    const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
    const { rows, command, rowCount } = await client.query<object>({ ...statement, ...limit });
    resolve({ rows, tag: rowCount === null ? command : `${command} ${rowCount}` });
    return undefined;
  } catch (error) {
    reject(error);
    return error;
  }
}
