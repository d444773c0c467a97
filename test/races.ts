import type { Actor } from '../src/catalog/actor.ts';
import type { Tx } from '../src/database/db.ts';
import { sql } from '../src/database/sql.ts';
import type { Person } from './factories.ts';
import type { House } from './harness.ts';

/** An owner as the gate mints one, for verbs that are called without it. */
export function actorOf({ userId, workspaceId }: Person): Actor {
  return { userId, workspaceId, role: 'owner' } as Actor;
}

/** Does one thing in a transaction, and commits it when another one waits for it. */
export async function whileOpen<Result>(
  house: House,
  first: (tx: Tx) => Promise<unknown>,
  other: () => Promise<Result>,
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
    // Not awaited: it goes on only after the commit.
    return { result: started };
  });
  return result;
}
