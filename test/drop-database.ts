import type pg from 'pg';

/**
 * Drops a database if it exists. A plain drop comes first, since it makes PostgreSQL's autovacuum leave; `force` may
 * not do that for a role without superuser rights. 55006: a client is still connected.
 * @param client connected to another database
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const drop = `drop database if exists ${client.escapeIdentifier(name)}`;
  await client.query(drop).catch((error: { code?: string }) => {
    if (error.code !== '55006') throw error;
    return client.query(`${drop} with (force)`);
  });
}
