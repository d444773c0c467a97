import type { Db, Tx } from './db.ts';

/**
 * Deletes at most `rowsMax` expired rows, or repairs rows. Returns their number.
 * A sweep covers all workspaces. It must select the rows of workspaces by key: on a distributed database, several rows
 * can have the same ctid.
 */
export type Sweep = (tx: Tx, rowsMax: number) => Promise<number>;

/** Small enough to stay far below the statement timeout and to hold locks only briefly. */
const batchRowsMax = 5_000;

/**
 * Sweeps in batches until nothing is left, each batch in its own transaction. A failed sweep does not prevent the other
 * sweeps. Its error is thrown at the end.
 */
export async function sweepAll(db: Db, sweeps: readonly Sweep[]): Promise<void> {
  const faults: unknown[] = [];
  for (const sweep of sweeps) {
    try {
      while ((await db.tx((tx) => sweep(tx, batchRowsMax))) >= batchRowsMax);
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 1) throw new Error(`${faults.length} sweeps failed, this one first`, { cause: faults[0] });
  if (faults.length > 0) throw faults[0];
}
