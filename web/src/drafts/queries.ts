import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { operations } from '../api/schema.d.ts';
import { contentOf } from '../compose/draft/draft-content.ts';
import { evenIfGone } from '../compose/draft/lost-saves.ts';
import { offerApart } from '../compose/new-ticket/new-ticket-draft.ts';
import { countsQuery } from '../tickets/counts/counts.ts';

export type ListedDraft = operations['listDrafts']['responses']['200']['content']['application/json']['items'][number];

/** All drafts of the member, newest first. Below the key of the counts: what counts again also lists again. */
export function ownDraftsQuery(workspaceId: string) {
  return infiniteQueryOptions({
    queryKey: [...countsQuery(workspaceId).queryKey, 'drafts'],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/drafts', { query: cursor === undefined ? {} : { cursor } }),
    // The texts may have changed since.
    refetchOnMount: 'always',
  });
}

/** Takes a draft out of the list, before the service tells that it is gone. */
export function dropListed(workspaceId: string, draftId: string): void {
  queryClient.setQueryData(
    ownDraftsQuery(workspaceId).queryKey,
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => id !== draftId) })),
      },
  );
}

/** Deletes a draft that no composer shows. */
export async function deleteDraft(workspaceId: string, { id: draftId, version }: ListedDraft): Promise<void> {
  await evenIfGone(inWorkspace(workspaceId).DELETE('/drafts/{draftId}', { path: { draftId }, query: { version } }));
}

/** Discards a draft of a new ticket that is not the newest. */
export async function discardOlder(workspaceId: string, draft: ListedDraft): Promise<boolean> {
  await deleteDraft(workspaceId, draft);
  offerApart(workspaceId, contentOf(draft));
  return true;
}
