import type { Db, Tx } from './db.ts';

/**
 * Deletes at most so many rows whose time is over, or mends those that an earlier release has left behind, and tells how
 * many. Of all workspaces at once: the house tidies up for everybody; so a workspace's rows go by their keys, for on a
 * distributed database several have the same ctid.
 */
export type Sweep = (tx: Tx, rowsMax: number) => Promise<number>;

/** Few enough to be far from the statement timeout, and to hold no lock for long. */
const batchRowsMax = 5_000;

/**
 * Sweeps batch by batch, each its own transaction, until nothing is left. One that fails keeps none of the others from
 * their turn; its error is thrown at the end.
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
