import type { Db, Queryable, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId, type WorkspaceId } from '../../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';

export type ImportKey = { workspaceId: WorkspaceId; id: string };

/** The right to work on an import. One process has it at a time, by the database's clock. */
export type ImportLease = ImportKey & {
  holder: string;
  /** Aborts when the lease was lost: another process may be at work. */
  signal: AbortSignal;
  /** Ends the lease. Does nothing after it was lost. */
  end(): Promise<void>;
};

/** The lease was lost, and another process may be at work. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** After a kill, an import waits this long until another process goes on. */
export const leaseSeconds = 60;
const renewalMs = 20_000;

/** Lists the imports whose files are not deleted yet. The imports that waited longest come first. */
export function listDueImports(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select i.workspace_id as "workspaceId", i.id
    from mail_imports i
    where i.has_files and (i.lease_until < now()) is not false ${within(sql`i.workspace_id`)} ${except(sql`i.id`)}
    order by i.worked_at nulls first
    limit ${rowsMax}`);
}

/** Undefined when there is nothing to do, or another process does it. */
export async function takeImportLease(db: Db, key: ImportKey): Promise<ImportLease | undefined> {
  const { workspaceId, id } = key;
  const holder = newId();
  const taken = await db.tx((tx) =>
    tx.run(sql`
      update mail_imports
      set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${leaseSeconds}), worked_at = now()
      where workspace_id = ${workspaceId} and id = ${id} and has_files and (lease_until < now()) is not false`),
  );
  return taken === 1 ? holdLease(db, key, holder) : undefined;
}

/** Renews a lease that the row has already, until it ends. */
export function holdLease(db: Db, { workspaceId, id }: ImportKey, holder: string): ImportLease {
  const loss = new AbortController();
  const timer = setInterval(() => {
    // The database may return before the lease expires. Every note checks the lease anyway.
    void db
      .tx((tx) =>
        tx.run(sql`
          update mail_imports set lease_until = now() + make_interval(secs => ${leaseSeconds})
          where workspace_id = ${workspaceId} and id = ${id} and lease_holder = ${holder}`),
      )
      .then((renewed) => renewed === 1 || loss.abort())
      .catch(() => {});
  }, renewalMs);
  return {
    workspaceId,
    id,
    holder,
    signal: loss.signal,
    end: async () => {
      clearInterval(timer);
      await db.tx((tx) => giveBack(tx, { workspaceId, id }, holder));
    },
  };
}

async function giveBack(tx: Tx, { workspaceId, id }: ImportKey, holder: string): Promise<void> {
  await tx.run(sql`
    update mail_imports set lease_holder = null, lease_until = null
    where workspace_id = ${workspaceId} and id = ${id} and lease_holder = ${holder}`);
}
