import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { components, operations } from '../../api/schema.d.ts';

export type AutoReply = components['schemas']['AutoReply'];
export type NewAutoReply = operations['createAutoReply']['requestBody']['content']['application/json'];

const keyOf = (workspaceId: string) => ['workspace', workspaceId, 'auto-replies'] as const;

export function autoRepliesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: keyOf(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/auto-replies'),
  });
}

/** The mailboxes whose automatic mail rests. */
export function pausesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: [...keyOf(workspaceId), 'pauses'],
    queryFn: () => inWorkspace(workspaceId).GET('/auto-replies/pauses'),
  });
}

/** The business hours from which a reply chooses. */
export function hoursQuery(workspaceId: string) {
  return queryOptions({
    queryKey: [...keyOf(workspaceId), 'hours'],
    queryFn: () => inWorkspace(workspaceId).GET('/calendars'),
  });
}

export function refreshAutoReplies(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keyOf(workspaceId) });
}
