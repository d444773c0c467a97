import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../database/db.ts';
import type { Live } from '../database/live.ts';
import { emptySql, type Sql, sql } from '../database/sql.ts';
import type { Clock } from '../lib/clock.ts';
import { type AnyId, newId, type WorkspaceId } from '../lib/ids.ts';
import { traced } from '../lib/traced.ts';
import { correlation } from '../platform/correlation.ts';
import type { Logger } from '../platform/log.ts';
import { openHints } from './hints.ts';

/** Work whose rows tell when they are due. So there is no job that could be lost, or that contradicts its row. */
export type DueKind = {
  name: string;
  /** How many rows this process works on at once. Workspaces share the places. */
  places: number;
  /** Lists due rows on which no process holds a lease. */
  list(db: Queryable, scope: DueScope): Promise<DueRow[]>;
  /**
   * Claims the row with a lock or a lease, does the work and moves the due time. Another process may have listed the
   * row too, so it does nothing if the row is no longer due.
   * @param stopping aborts when the process stops, which then waits for this work
   */
  work(row: DueRow, stopping: AbortSignal): Promise<void>;
};

export type DueRow = { workspaceId: WorkspaceId; id: AnyId };

/** Conditions, each beginning with `and`: `within` limits the workspaces, `except` leaves out rows. */
export type DueScope = { now: Date; within: (workspaceId: Sql) => Sql; except: (id: Sql) => Sql; rowsMax: number };

type DueWorkParts = { db: Queryable; clock: Clock; live: Live; log: Logger };

const pollMs = 1_000;
/** A hint after a quiet time counts at once. Later hints within this time share one query. */
const gatherMs = 250;
/** Looking everywhere takes at most this share of the time, however many workspaces there are. */
const lookShareMax = 1 / 20;
/** How long a process leaves a row alone after its work failed, by the failures in a row. The last one repeats. */
const restsMs = [1_000, 3_000, 10_000, 30_000];
const rowsMax = 500;

/** Works on due rows until stopped. `tx.touch` hints at new due rows; polls find them if the hint is lost. */
export function startDueWork(parts: DueWorkParts, kind: DueKind): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const waiting = new Map<string, DueRow>();
  const running = new Map<string, DueRow & { ended: Promise<void> }>();
  const resting = new Set<string>();
  const failures = new Map<string, number>();
  const hints = openHints();
  let pollAt = 0;

  const run = async (row: DueRow): Promise<void> => {
    const failed = failures.get(row.id) ?? 0;
    const isDone = await workOn(parts, kind, row, { failed, stopping: stopping.signal });
    running.delete(row.id);
    if (failures.size >= rowsMax) failures.clear();
    if (isDone) {
      failures.delete(row.id);
      hints.add([row.workspaceId]);
    } else {
      failures.set(row.id, failed + 1);
      resting.add(row.id);
      setTimeout(() => resting.delete(row.id), restsMs[Math.min(failed, restsMs.length - 1)]).unref();
    }
    fill();
  };
  /** Shares the places as `shareBetweenWorkspaces` shares the workers of a lane. */
  const fill = (): void => {
    for (const row of waiting.values()) {
      const free = kind.places - running.size;
      if (free === 0 || stopping.signal.aborted) return;
      const isOfWorkspace = (other: DueRow) => other.workspaceId === row.workspaceId;
      if ([...running.values()].filter(isOfWorkspace).length >= free) continue;
      waiting.delete(row.id);
      running.set(row.id, { ...row, ended: run(row) });
    }
  };
  const look = async (): Promise<void> => {
    const isPoll = performance.now() >= pollAt;
    const hinted = hints.take();
    if (!isPoll && hinted.length === 0) return;
    const within = isPoll ? null : hinted;
    const lookedAt = performance.now();
    // Passes over workspaces with waiting rows, so that many rows of one workspace do not hide other workspaces.
    const crowded = [...waiting.values()].map(({ workspaceId }) => workspaceId);
    const rows = await listDue(parts, kind, { within, crowded, except: [...running.keys(), ...resting] });
    if (isPoll) {
      const endedAt = performance.now();
      pollAt = endedAt + Math.max(pollMs, (endedAt - lookedAt) / lookShareMax);
    }
    for (const row of rows) waiting.set(row.id, row);
    fill();
  };
  const lookUntilStopped = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look().catch((err) => parts.log.warn({ err, job: kind.name }, 'due rows could not be listed'));
      await sleep(gatherMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await hints.wait(pollAt);
    }
  };
  const unfollow = parts.live.follow((workspaceIds) => hints.add([...(workspaceIds ?? [])]));
  const looking = lookUntilStopped();
  return {
    stop: async () => {
      unfollow();
      stopping.abort();
      hints.add([]);
      await looking;
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Works once on each row that is due, and returns their number. For tests and one-off commands. */
export async function drainDueWork(parts: DueWorkParts, kind: DueKind): Promise<number> {
  const except: string[] = [];
  for (;;) {
    const rows = await listDue(parts, kind, { within: null, crowded: [], except });
    if (rows.length === 0) return except.length;
    for (const row of rows) await workOn(parts, kind, row, { failed: 0, stopping: new AbortController().signal });
    except.push(...rows.map(({ id }) => id));
  }
}

type Look = { within: readonly WorkspaceId[] | null; crowded: readonly WorkspaceId[]; except: readonly string[] };

function listDue({ db, clock }: DueWorkParts, kind: DueKind, { within, crowded, except }: Look): Promise<DueRow[]> {
  return kind.list(db, {
    now: clock.now(),
    within: (workspaceId) => sql`and ${workspaceId} <> all(${[...new Set(crowded)]}::uuid[])
      ${within === null ? emptySql : sql`and ${workspaceId} = any(${within}::uuid[])`}`,
    except: (id) => sql`and ${id} <> all(${except}::uuid[])`,
    rowsMax,
  });
}

/** @param failed how often the row failed in a row before */
function workOn(
  { log }: DueWorkParts,
  { name, work }: DueKind,
  row: DueRow,
  { failed, stopping }: { failed: number; stopping: AbortSignal },
): Promise<boolean> {
  const attempt = async () => {
    const startedAt = performance.now();
    try {
      await work(row, stopping);
      log.info({ job: name, durationMs: Math.round(performance.now() - startedAt) }, 'job done');
      return true;
    } catch (err) {
      const isLasting = failed >= restsMs.length;
      log[isLasting ? 'error' : 'warn']({ err, job: name, ...row }, 'job failed');
      return false;
    }
  };
  const endOf = (isDone: boolean) => (isDone ? {} : { fault: 'failed' });
  return correlation.run(newId(), () => traced({ kind: 'job', name }, attempt, endOf));
}
