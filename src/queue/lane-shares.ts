import type { ForbiddenFlagsFn, Job, WorkerEvents } from 'graphile-worker';

/**
 * Shares a lane's workers between workspaces: a workspace gets one more only while it has fewer than are idle. A workspace alone
 * gets half of them, and a workspace that has none gets the next worker that becomes idle. Network switches share buffers in the
 * same way (dynamic thresholds). Each job has its workspace as a flag (`enqueue_jobs`), by which the queue skips it.
 */
export function shareBetweenWorkspaces(events: WorkerEvents, places: number): ForbiddenFlagsFn {
  const running = new Map<string, number>();
  let taken = 0;
  const count = ({ payload }: Job, change: 1 | -1) => {
    taken += change;
    const workspaceId = workspaceOf(payload);
    if (workspaceId === undefined) return;
    const left = (running.get(workspaceId) ?? 0) + change;
    if (left > 0) running.set(workspaceId, left);
    else running.delete(workspaceId);
  };
  // Only one worker asks for a job at a time: several at once could all get jobs of the same workspace.
  let lastAsk = Promise.resolve();
  let answer = () => {};
  events.on('job:start', ({ job }) => {
    count(job, 1);
    answer();
  });
  events.on('worker:getJob:empty', () => answer());
  events.on('worker:getJob:error', () => answer());
  events.on('job:complete', ({ job }) => count(job, -1));
  return async () => {
    const before = lastAsk;
    const { promise, resolve } = Promise.withResolvers<void>();
    lastAsk = promise;
    await before;
    answer = resolve;
    const free = places - taken;
    return [...running].flatMap(([workspaceId, jobs]) => (jobs >= free ? [workspaceId] : []));
  };
}

function workspaceOf(payload: unknown): string | undefined {
  const { workspaceId } = (payload ?? {}) as { workspaceId?: unknown };
  return typeof workspaceId === 'string' ? workspaceId : undefined;
}
