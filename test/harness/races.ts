import { inject } from 'vitest';
import type { Actor } from '../../src/ground/catalog/actor.ts';
import { everything } from '../../src/ground/catalog/scope.ts';
import type { Tx } from '../../src/ground/database/db.ts';
import { emptySql, sql } from '../../src/ground/database/sql.ts';
import type { Person } from '../worlds/factories.ts';
import type { House } from './harness.ts';

/** An owner's actor as the gate makes it, for verbs that a test calls directly. */
export function actorOf({ userId, workspaceId }: Person): Actor {
  return { userId, workspaceId, role: 'owner', sight: everything } as Actor;
}

/** Runs `first` in a transaction, and commits once `other` waits for it. Before the commit comes `last`. */
export async function whileOpen<Result>(
  house: House,
  first: (tx: Tx) => Promise<unknown>,
  other: () => Promise<Result>,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Result> {
  const { result } = await house.app.db.tx(async (tx) => {
    await first(tx);
    const { pid } = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const started = other();
    while (!(await lockWaits(house)).some(({ blocking }) => blocking === pid));
    await last(tx);
    // Not awaited, since the other work continues only after the commit.
    return { result: started };
  });
  return result;
}

/** Which sessions wait for a lock, and for which session. On a cluster the lock may be at any node. */
export async function lockWaits({ app: { db } }: House): Promise<{ waiting: number; blocking: number }[]> {
  // A session's number on a cluster ends with its process id.
  const ofCluster = sql`
    union all
    select (waiting_gpid % 10000000000)::integer, (blocking_gpid % 10000000000)::integer from citus_lock_waits`;
  return db.rows(sql`
    select pid as waiting, unnest(pg_blocking_pids(pid)) as blocking
    from pg_stat_activity
    where datname = current_database()
    ${inject('nodeUrls').length > 1 ? ofCluster : emptySql}`);
}
