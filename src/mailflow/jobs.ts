import type { App } from '../app.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { type JobHandlers, retryDelayMs } from '../queue/queue.ts';
import { gatherStatistics } from './gather-statistics.ts';
import { enqueueIngest } from './mail-in.ts';
import type { Outcome } from './take/take-mail.ts';
import { takePendingMails } from './take-pending.ts';

/** After this long other workspaces get a turn. */
const runMsMax = 5_000;

/**
 * Ingests a workspace's pending mail from SMTP and its mailboxes, until none waits or `runMsMax` is over. Then a new
 * job continues, behind the waiting jobs. Each mail that arrives meanwhile queues a job too. A process runs one such
 * job per workspace; further ones make it look once more, so that it reads no mail twice. Another process may ingest
 * for the same workspace at the same time: each mail is still taken once.
 */
export function ingestJobs(app: App): JobHandlers['mail.ingest'] {
  const underWay = new Map<string, { isToLookAgain: boolean }>();
  // Mails taken by this process, of all workspaces.
  let taken = 0;
  return async ({ workspaceId }) => {
    const other = underWay.get(workspaceId);
    if (other !== undefined) {
      other.isToLookAgain = true;
      return;
    }
    const run = { isToLookAgain: true };
    underWay.set(workspaceId, run);
    const runUntil = performance.now() + runMsMax;
    try {
      while (run.isToLookAgain && performance.now() < runUntil) {
        run.isToLookAgain = false;
        for await (const outcomes of ingestPendingMails(app, workspaceId)) {
          taken += outcomes.filter(({ kind }) => kind === 'new').length;
          if (taken >= manyMails) await gatherStatistics(app.db, taken);
          if (performance.now() >= runUntil) {
            run.isToLookAgain = true;
            break;
          }
        }
      }
    } catch (error) {
      underWay.delete(workspaceId);
      // Other jobs that relied on this run have ended.
      if (run.isToLookAgain) await resumeLater(app, workspaceId);
      throw error;
    }
    // First, because the new job would rely on this run, which looks no more.
    underWay.delete(workspaceId);
    if (run.isToLookAgain) await app.db.tx((tx) => enqueueIngest(tx, workspaceId));
  };
}

async function resumeLater({ db, log }: App, workspaceId: WorkspaceId): Promise<void> {
  try {
    await db.tx((tx) => enqueueIngest(tx, workspaceId, new Date(tx.now.getTime() + retryDelayMs(1))));
  } catch (err) {
    // The failed job keeps its key then, and is retried.
    log.warn({ err, workspaceId }, 'mails wait for the retry of an earlier ingestion');
  }
}

/** With fewer mails, statistics are not worth checking. */
const manyMails = 256;

async function* ingestPendingMails(app: App, workspaceId: WorkspaceId): AsyncGenerator<Outcome[]> {
  // Includes mail of mailboxes: all but imports share one queue.
  for await (const outcomes of takePendingMails(app, { workspaceId, via: 'smtp' })) {
    const quarantined = outcomes.filter(({ kind }) => kind === 'quarantined').length;
    if (quarantined > 0)
      app.log.warn({ workspaceId, quarantined }, 'mails could not be read: they are in the quarantine');
    yield outcomes;
  }
}

/** Queues jobs for mails without one, after their job was given up or a run that should have taken them failed. */
export async function resumePendingMails({ db }: Pick<App, 'db'>): Promise<void> {
  const waiting = await db.rows<{ workspaceId: WorkspaceId }>(sql`
    select distinct workspace_id as "workspaceId" from raw_mails where state = 'pending' and source <> 'import'`);
  for (const { workspaceId } of waiting) await db.tx((tx) => enqueueIngest(tx, workspaceId));
}
