import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import type { paths } from '../api/schema.d.ts';
import { meQuery, settingsQuery } from './queries.ts';

type Changes = NonNullable<
  paths['/v1/workspaces/{workspaceId}']['patch']['requestBody']
>['content']['application/json'];

/** Changes settings of the workspace, and shows them at once. */
export async function changeWorkspace(workspaceId: string, body: Changes): Promise<void> {
  const changed = await inWorkspace(workspaceId).PATCH('', { body });
  queryClient.setQueryData(settingsQuery(workspaceId).queryKey, changed);
  await queryClient.invalidateQueries(meQuery);
}
