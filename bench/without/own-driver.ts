import pg from 'pg';
import type { Asked } from '../../src/database/statement.ts';
import type { travel as travelTogether } from '../../src/database/trip.ts';

export const travel: typeof travelTogether = (client, { asked, timeoutMs, onArrival }) => {
  void Promise.all(asked.map((each) => run(client, each, timeoutMs))).then((errors) => {
    const error = errors.find((each) => each !== undefined);
    onArrival({ error, left: [], isBroken: error !== undefined && !(error instanceof pg.DatabaseError) });
  });
};

/** @returns the error, if there is one */
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
