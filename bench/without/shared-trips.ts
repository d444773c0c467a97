import type pg from 'pg';
import type { SqlText } from '../../src/ground/database/sql.ts';
import type { SqlResult } from '../../src/ground/database/statement.ts';
import { travel } from '../../src/ground/database/trip.ts';

export function openSharedTrips(pool: pg.Pool, timeoutMs: number): (statement: SqlText) => Promise<SqlResult> {
  return async (statement) => {
    const client = await pool.connect();
    return new Promise((resolve, reject) => {
      const asked = [{ statement, resolve, reject }];
      travel(client, { asked, timeoutMs, onArrival: ({ isBroken }) => client.release(isBroken) });
    });
  };
}
