import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Drops a database if it exists. A plain drop comes first, since it makes PostgreSQL's autovacuum leave; `force` may
 * not do that for a role without superuser rights. Citus connects to each of its databases again and again.
 * @param client connected to another database
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const drop = `drop database if exists ${client.escapeIdentifier(name)}`;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(attempt === 1 ? drop : `${drop} with (force)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== clientConnected || attempt === attemptsMax) throw error;
      if (attempt > 1) await sleep(pauseMs);
    }
  }
}

const clientConnected = '55006';
const attemptsMax = 20;
const pauseMs = 100;
