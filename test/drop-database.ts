import type pg from 'pg';

/**
 * Drops a database if it is there. A plain drop first: it sends PostgreSQL's own vacuuming away, which `force` may not do for a role that is
 * no superuser. 55006: somebody is still connected.
 * @param client connected to another database
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const drop = `drop database if exists ${client.escapeIdentifier(name)}`;
  await client.query(drop).catch((error: { code?: string }) => {
    if (error.code !== '55006') throw error;
    return client.query(`${drop} with (force)`);
  });
}
