import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

export function contactQuery(workspaceId: string, contactId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contact', contactId],
    queryFn: () => inWorkspace(workspaceId).GET('/contacts/{contactId}', { path: { contactId } }),
  });
}
