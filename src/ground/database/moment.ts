import type { Queryable } from './db.ts';
import { quick, sql } from './sql.ts';

/**
 * Facts of this transaction are past for every stream and webhook: the lowest id of a normal transaction in PostgreSQL.
 */
export const pastTransaction = '3';

/**
 * A moment in the order of transactions. On Citus each node counts its own transactions. The service asks for a moment
 * in a statement without tables, which only the coordinator answers, and rows store the coordinator's numbers too.
 */
export type Moment = {
  /** Identifies the database's history. A restore, another server and a standby's promotion begin a new history. */
  epoch: string;
  /** All transactions before this transaction have ended, and every later statement sees their changes. */
  horizon: string;
  /** The first transaction that has not begun yet. */
  next: string;
  /** As `pg_snapshot`. */
  snapshot: string;
};

/**
 * The present moment. Statements that take it as parameters must follow it, or they could miss changes that it counts
 * as past.
 *
 * A moment on a cluster flushes the coordinator's WAL first. An event is a row of another node, so the coordinator
 * commits its transaction without a flush. After a crash the coordinator would give the number of that transaction to a
 * later event, and readers beyond that number would miss the event.
 */
export async function readMoment(db: Queryable): Promise<Moment> {
  // Clients see the epoch, so it is hashed.
  const { epoch, snapshot, committing } = await db.one<
    Pick<Moment, 'epoch' | 'snapshot'> & { committing: string | null }
  >(
    quick(sql`
    select left(md5(concat_ws(' ',
        (select system_identifier from pg_control_system()),
        left(pg_walfile_name(pg_current_wal_lsn()), 8),
        (select oid from pg_database where datname = current_database()))), 12) as epoch,
      pg_current_snapshot()::text as snapshot,
      case when to_regclass('pg_catalog.pg_dist_transaction') is not null then (
        select transactionid::text
        from pg_locks
        where locktype = 'transactionid' and mode = 'ExclusiveLock'
        order by age(transactionid) desc
        limit 1
      ) end as committing
    where flush_wal_of_cluster()`),
  );
  const [running = '', next = ''] = snapshot.split(':');
  return { epoch, horizon: horizonOf(running, next, committing), next, snapshot };
}

/**
 * The oldest transaction that may still become visible. On Citus a transaction of several nodes commits on the
 * coordinator first and then on the other nodes, and keeps the lock on its number until it has committed on all of
 * them.
 * @param running the oldest that the coordinator itself still runs
 * @param committing the lower half of the oldest locked number; null: none is locked
 */
function horizonOf(running: string, next: string, committing: string | null): string {
  if (committing === null) return running;
  const oldest = BigInt(running);
  const locked = BigInt(next) - BigInt.asIntN(32, BigInt(next) - BigInt(committing));
  return String(locked < oldest ? locked : oldest);
}
