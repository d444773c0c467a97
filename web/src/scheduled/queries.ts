import { infiniteQueryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';
import { countsQuery } from '../tickets/counts/counts.ts';

type Page = operations['listScheduledMessages']['responses']['200']['content']['application/json'];
export type Scheduled = Page['items'][number];

/** Below the key of the counts: what counts again also lists again. */
export function scheduledQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: [...countsQuery(workspaceId).queryKey, 'scheduled'],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/messages/scheduled', { query: cursor === undefined ? {} : { cursor } }),
  });
}
