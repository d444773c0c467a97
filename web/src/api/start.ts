import { api, dataOf, inWorkspace } from './client.ts';

export type Start = Awaited<ReturnType<typeof readStart>>;

/** Everything that each page of a workspace needs, in one answer. */
export function readStart(workspaceId: string) {
  return dataOf(api.GET('/v1/workspaces/{workspaceId}/start', { params: inWorkspace(workspaceId) }));
}
