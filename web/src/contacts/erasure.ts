import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';

const pollMs = 2_000;

/** What erasing the person would delete, and how far an erasure has come. Asks again while an erasure goes on. */
export function erasureQuery(workspaceId: string, contactId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'erasure', contactId],
    queryFn: () => inWorkspace(workspaceId).GET('/contacts/{contactId}/erasure', { path: { contactId } }),
    refetchInterval: ({ state }) => (state.data?.erasure?.finishedAt === null ? pollMs : false),
    staleTime: 0,
  });
}

export async function erasePerson(
  workspaceId: string,
  contactId: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  // An account that signs in with a provider has no password.
  const body = password === '' ? { email } : { email, password };
  await inWorkspace(workspaceId).POST('/contacts/{contactId}/erasure', { path: { contactId }, body });
  await refreshWorkspace(workspaceId);
}

/** The person's name may stand in every answer about the workspace. */
export function refreshWorkspace(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
}
