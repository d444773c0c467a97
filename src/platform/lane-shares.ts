import type { ForbiddenFlagsFn, Job, WorkerEvents } from 'graphile-worker';

/**
 * Shares a lane's places between workspaces: a workspace is given one more only while it has fewer than are free. Alone it has half
 * of them; however many workspaces ask, the next one with none finds a place as soon as a job ends. Buffers of network switches are
 * shared like this (dynamic thresholds). Each job carries its workspace as a flag (`enqueue_jobs`), by which the queue passes it over.
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
  // One worker asks for a job at a time: several at once would all be given the same workspace's.
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
