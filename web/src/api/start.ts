import { inWorkspace } from './client.ts';

export type Start = Awaited<ReturnType<typeof readStart>>;

/** Everything that each page of a workspace needs, in one answer. */
export function readStart(workspaceId: string) {
  return inWorkspace(workspaceId).GET('/start');
}
