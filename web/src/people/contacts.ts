import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';

const offeredMax = 8;

/** Contacts whose name or address matches, one entry for each address. */
export function suggestedContactsQuery(workspaceId: string, search: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contacts', search, 'suggested'],
    queryFn: async () => {
      const contacts = await inWorkspace(workspaceId).GET('/contacts', { query: { search, limit: offeredMax } });
      return contacts
        .filter(({ erasedAt }) => erasedAt === null)
        .flatMap(({ name, emails }) =>
          emails.map((email) => ({ key: email, text: name ?? email, detail: name === null ? undefined : email })),
        )
        .slice(0, offeredMax);
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
