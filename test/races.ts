import type { Actor } from '../src/catalog/actor.ts';
import type { Tx } from '../src/database/db.ts';
import { sql } from '../src/database/sql.ts';
import type { Person } from './factories.ts';
import type { House } from './harness.ts';

/** An owner's actor as the gate makes it, for verbs that a test calls directly. */
export function actorOf({ userId, workspaceId }: Person): Actor {
  return { userId, workspaceId, role: 'owner' } as Actor;
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
    for (let waiting = 0; waiting === 0; ) {
      const { count } = await house.app.db.one<{ count: number }>(sql`
        select count(*) from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`);
      waiting = count;
    }
    await last(tx);
    // Not awaited, since the other work continues only after the commit.
    return { result: started };
  });
  return result;
}
