import pg from 'pg';

/**
 * Events of a cluster whose transaction committed in two phases, as a transaction does that writes to several nodes, or
 * whose rows go over the coordinator. Citus notes each node of such a transaction in `pg_dist_transaction`, until it
 * recovers transactions.
 * @returns the type of each, with the number of its transaction
 */
export async function eventsInTwoPhases(coordinatorUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: coordinatorUrl });
  await client.connect();
  try {
    const { rows: transactions } = await client.query<{ id: string }>(
      'select distinct xmin::text as id from pg_dist_transaction',
    );
    // `xmin` has the lower half of a transaction's number.
    const { rows } = await client.query<{ type: string; id: string }>(
      `select distinct type, transaction_id::text as id from activity
       where (transaction_id::text::int8 & 4294967295)::text = any($1) order by type`,
      [transactions.map(({ id }) => id)],
    );
    return rows.map(({ type, id }) => `${type} in transaction ${id}`);
  } finally {
    await client.end();
  }
}
