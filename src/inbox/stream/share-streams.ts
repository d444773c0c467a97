import type { WorkspaceId } from '../../ground/lib/ids.ts';

type Stream = { isClosed: boolean; holder: { workspaceId: WorkspaceId } };

/**
 * Which stream ends so that a newcomer has room: the oldest of the workspace that has the most. So no workspace can use
 * up the limit for all.
 * @param streams oldest first
 * @returns null if there is room; undefined if no workspace has clearly more than the newcomer's
 */
export function streamToEnd<One extends Stream>(
  streams: Iterable<One>,
  newcomer: WorkspaceId,
  max: number,
): One | null | undefined {
  const open = [...streams].filter(({ isClosed }) => !isClosed);
  if (open.length < max) return null;
  const byWorkspace = Map.groupBy(open, ({ holder }) => holder.workspaceId);
  const own = byWorkspace.get(newcomer)?.length ?? 0;
  const largest = [...byWorkspace.values()].reduce((most, one) => (one.length > most.length ? one : most));
  return largest.length > own + 1 ? largest[0] : undefined;
}
