import type { ForbiddenFlagsFn, Job, WorkerEvents } from 'graphile-worker';

/**
 * Shares a lane's workers between workspaces. A workspace gets another worker only while it has fewer workers than are
 * idle. A workspace alone thus gets half of the workers, and one without workers gets the next idle worker. Network
 * switches share buffers in the same way (dynamic thresholds).
 * Each job carries its workspace as a flag (`enqueue_jobs`), and the queue skips jobs with the flags returned here.
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
  // Workers ask for jobs one at a time. Several at once could all get jobs of the same workspace.
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
