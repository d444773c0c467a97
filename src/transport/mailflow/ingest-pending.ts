import type { App } from '../../app.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { isFree } from '../../ground/queue/lease.ts';
import { gatherStatistics } from './gather-statistics.ts';
import { takeIngestLease } from './ingest-lease.ts';
import { takePendingMails } from './take-pending.ts';

/** After this long other workspaces get a turn. */
const runMsMax = 5_000;
/** With fewer mails, statistics are not worth checking. */
const manyMails = 256;

/**
 * Lists the workspaces with pending mail from SMTP or mailboxes, longest wait first. Reads one mail of each workspace,
 * because a backlog may have a hundred thousand. `ticket_counters` has a row for each workspace.
 */
export function listPending(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select c.workspace_id as "workspaceId", c.workspace_id as id
    from ticket_counters c
    cross join lateral (
      select r.received_at
      from raw_mails r
      where r.workspace_id = c.workspace_id and r.state = 'pending' and r.source <> 'import'
      order by r.id
      limit 1
    ) first
    where not exists (
        select from ingest_leases l where l.workspace_id = c.workspace_id and not ${isFree('ingest', 'l')}
      ) ${within(sql`c.workspace_id`)} ${except(sql`c.workspace_id`)}
    order by first.received_at
    limit ${rowsMax}`);
}

type WaitingMail = Pick<DueRow, 'workspaceId'>;

/**
 * Ingests a workspace's pending mail, until none waits or `runMsMax` is over. Then the workspace is due again.
 * The lease spares processes from reading the same mails. A run that outlives it does no harm: each mail is still taken
 * once.
 */
export function ingestPending(app: App): (row: WaitingMail, stopping: AbortSignal) => Promise<void> {
  // Mails taken by this process, of all workspaces.
  let taken = 0;
  return async ({ workspaceId }, stopping) => {
    const lease = await takeIngestLease(app.db, workspaceId);
    if (lease === undefined) return;
    const runUntil = performance.now() + runMsMax;
    try {
      // Includes mail of mailboxes: all but imports share one queue.
      for await (const outcomes of takePendingMails(app, { workspaceId, via: 'smtp', lease })) {
        const quarantined = outcomes.filter(({ kind }) => kind === 'quarantined').length;
        if (quarantined > 0)
          app.log.warn({ workspaceId, quarantined }, 'mails could not be read: they are in the quarantine');
        taken += outcomes.filter(({ kind }) => kind === 'new').length;
        if (taken >= manyMails) await gatherStatistics(app.db, taken);
        if (stopping.aborted || performance.now() >= runUntil) return;
      }
    } finally {
      await lease.end();
    }
  };
}
