import type { TableName } from '../catalog/tables/tables.ts';
import type { Db, Tx } from '../database/db.ts';
import { emptySql, type Sql, sql } from '../database/sql.ts';
import { partOf } from '../database/table-sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';

type Column = 'id' | 'until' | 'holder';
type LeaseRow = { table: TableName; seconds: number } & Partial<Record<Column, string>>;

/**
 * Each right that one process has at a time, by the database's clock: its row, and the columns that tell until when,
 * and who has it. A process that dies keeps it for `seconds`.
 */
const leases = {
  /** Reads a mailbox. */
  sync: { table: 'mailbox_syncs', id: 'mailbox_id', until: 'lease_until', holder: 'lease_holder', seconds: 60 },
  /** Listens to a mailbox. */
  listener: { table: 'mailbox_listeners', id: 'mailbox_id', until: 'held_until', holder: 'holder', seconds: 60 },
  /** Makes or ends the watches of a mailbox. Longer than all requests to the provider for that can take. */
  watch: { table: 'mailboxes', id: 'id', until: 'watch_until', seconds: 300 },
  /** Renews the access token of a mailbox. Longer than the timeout of a request to a provider. */
  refresh: { table: 'mailboxes', id: 'id', until: 'refresh_until', seconds: 60 },
  /** Works on an import. */
  import: { table: 'mail_imports', id: 'id', until: 'lease_until', holder: 'lease_holder', seconds: 60 },
  /** Ingests the pending mail of a workspace. */
  ingest: { table: 'ingest_leases', id: 'workspace_id', until: 'lease_until', seconds: 30 },
  /** Sends to a webhook. Longer than the requests and settling their results can take. */
  webhook: { table: 'webhooks', id: 'id', until: 'lease_until', seconds: 30 },
} as const satisfies Record<string, LeaseRow>;

type LeaseKind = keyof typeof leases;
/** Leases whose row names who has them. */
type HeldKind = 'sync' | 'listener' | 'import';

export type LeaseKey = { workspaceId: WorkspaceId; id: string };
export type Held = LeaseKey & { holder: string };

/** The lease was lost: another process may be at work, and this one writes nothing more. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
  override message = 'the lease was lost';
}

type Taking = { when?: Sql; set?: Sql; returning?: Sql };

/**
 * Takes a lease that nobody has, in one guarded update of row `l`.
 * @param set more assignments, beginning with a comma
 * @returns undefined if it is not free, or `when` does not hold
 */
export function takeLease<Row = unknown>(
  tx: Tx,
  kind: LeaseKind,
  { workspaceId, id, holder }: LeaseKey & Partial<Held>,
  { when = sql`true`, set = emptySql, returning = sql`1` }: Taking = {},
): Promise<Row | undefined> {
  const held = holder === undefined ? emptySql : sql`, ${leaseColumn(kind, 'holder')} = ${holder}`;
  return tx.maybe<Row>(sql`
    update ${leaseTable(kind)} l set ${leasedFor(kind)} ${held} ${set}
    where l.workspace_id = ${workspaceId} and l.${leaseColumn(kind, 'id')} = ${id} and ${isFree(kind, 'l')} and ${when}
    returning ${returning}`);
}

type Writing = { from?: Sql; when?: Sql; returning?: Sql };

/** Changes row `l` of a lease for its holder. Throws `LeaseLost` if another has the lease, or `when` does not hold. */
export async function writeHeld<Row = unknown>(
  tx: Tx,
  kind: HeldKind,
  lease: Held,
  set: Sql,
  { from = emptySql, when = sql`true`, returning = sql`1` }: Writing = {},
): Promise<Row> {
  const written = await tx.maybe<Row>(sql`
    update ${leaseTable(kind)} l set ${set} ${from} where ${isHeld(kind, lease)} and ${when} returning ${returning}`);
  if (written === undefined) throw new LeaseLost();
  return written;
}

export type Lease = Held & {
  /** Aborts when the lease was lost. */
  signal: AbortSignal;
  /**
   * Ends the lease. Does nothing after it was lost.
   * @param set more assignments, beginning with a comma
   */
  end(set?: Sql): Promise<void>;
};

/** Renews a lease that was taken, until it ends or is lost. */
export function holdLease(db: Db, kind: HeldKind, lease: Held): Lease {
  const loss = new AbortController();
  const write = (set: Sql): Promise<unknown> =>
    db
      .tx((tx) => writeHeld(tx, kind, lease, set))
      .catch((error) => {
        if (!(error instanceof LeaseLost)) throw error;
        loss.abort();
      });
  // The database may return before the lease expires. Every write checks the lease anyway.
  const timer = setInterval(() => write(leasedFor(kind)).catch(() => {}), (leases[kind].seconds * 1_000) / 3);
  const end = async (set = emptySql): Promise<void> => {
    clearInterval(timer);
    await write(sql`${leaseEnded(kind)} ${set}`);
  };
  return { ...lease, signal: loss.signal, end };
}

/** Whether row `l` is that of the lease, and nobody else took the lease or ended it. */
export function isHeld(kind: HeldKind, { workspaceId, id, holder }: Held): Sql {
  return sql`l.workspace_id = ${workspaceId} and l.${leaseColumn(kind, 'id')} = ${id}
    and l.${leaseColumn(kind, 'holder')} = ${holder}`;
}

/** An assignment: nobody else takes it meanwhile. */
export function leasedFor(kind: LeaseKind, seconds: number = leases[kind].seconds): Sql {
  return sql`${leaseColumn(kind, 'until')} = now() + make_interval(secs => ${seconds})`;
}

/** Whether nobody has the lease of a row. */
export function isFree(kind: LeaseKind, row: string): Sql {
  return partOf(`free ${kind} ${row}`, () => [`(${row}.${leases[kind].until} < now()) is not false`]);
}

/** Assignments that end it at once. */
export function leaseEnded(kind: LeaseKind): Sql {
  const { until, holder }: LeaseRow = leases[kind];
  return partOf(`ended ${kind}`, () => [until, holder].flatMap((name) => (name === undefined ? [] : `${name} = null`)));
}

export function leaseColumn(kind: LeaseKind, column: Column): Sql {
  const row: LeaseRow = leases[kind];
  return partOf(`lease ${kind} ${column}`, () => [row[column] ?? 'null']);
}

export function leaseTable(kind: LeaseKind): Sql {
  return partOf(`lease ${kind}`, () => [leases[kind].table]);
}
