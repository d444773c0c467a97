import type { WorkspaceId } from '../lib/ids.ts';

/** The workspaces that may have new work. */
export function openHints() {
  let workspaceIds = new Set<WorkspaceId>();
  let wake = () => {};
  return {
    add: (more: readonly WorkspaceId[]) => {
      for (const id of more) workspaceIds.add(id);
      wake();
    },
    take: (): WorkspaceId[] => {
      const taken = [...workspaceIds];
      workspaceIds = new Set();
      return taken;
    },
    /** Ends with the next hint, or at the time by `performance.now()`. */
    wait: (at: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, workspaceIds.size > 0 ? 0 : Math.max(0, at - performance.now()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
