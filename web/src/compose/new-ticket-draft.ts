import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { bodyOf, type DraftContent } from './draft-content.ts';
import { keeperOf } from './draft-keepers.ts';
import type { DraftStore } from './draft-store.ts';
import type { Draft } from './queries.ts';
import { useFlush } from './use-draft.ts';

/** The newest ticket that the member has begun to write; null where there is none. */
function newTicketDraftQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'drafts', 'new'],
    queryFn: async () => {
      const { items } = await dataOf(
        api.GET('/v1/workspaces/{workspaceId}/drafts', { params: inWorkspace(workspaceId) }),
      );
      return items.find(({ kind }) => kind === 'ticket') ?? null;
    },
    refetchOnMount: 'always',
  });
}

/** The draft of a new ticket, and its keeper. */
export function useNewTicketDraft(userId: string, workspaceId: string) {
  const key = `${userId} ${workspaceId} ticket`;
  const keeper = keeperOf(key, () => newTicketStore(workspaceId));
  const draft = useSyncExternalStore(keeper.subscribe, keeper.read);
  const kept = useQuery(newTicketDraftQuery(workspaceId)).data;
  useEffect(() => {
    if (kept !== undefined) keeper.load(kept);
  }, [keeper, kept]);
  useFlush(key, keeper);
  return { keeper, draft };
}

function newTicketStore(workspaceId: string): DraftStore {
  const { header } = inWorkspace(workspaceId);
  const kept = () => queryClient.getQueryData<Draft | null>(newTicketDraftQuery(workspaceId).queryKey);
  const params = () => ({ path: { workspaceId, draftId: kept()?.id ?? '' }, header });
  return {
    put: async (content, version, keepalive) => {
      const body = newTicketBodyOf(content);
      const draft = await dataOf(
        version === 0
          ? api.POST('/v1/workspaces/{workspaceId}/drafts', { params: inWorkspace(workspaceId), body, keepalive })
          : api.PUT('/v1/workspaces/{workspaceId}/drafts/{draftId}', {
              params: params(),
              body: { ...body, version },
              keepalive,
            }),
      );
      await keepNewTicketDraft(workspaceId, draft);
      return draft;
    },
    remove: async (keepalive) => {
      // One whose making was not confirmed has no name here.
      if (kept() == null) return;
      await dataOf(api.DELETE('/v1/workspaces/{workspaceId}/drafts/{draftId}', { params: params(), keepalive }));
      await keepNewTicketDraft(workspaceId, null);
    },
  };
}

export async function keepNewTicketDraft(workspaceId: string, draft: Draft | null): Promise<void> {
  const { queryKey } = newTicketDraftQuery(workspaceId);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, draft);
}

function newTicketBodyOf(content: DraftContent) {
  const { lastSeenMessageId: _, ...body } = bodyOf(content);
  return { ...body, subject: content.subject, mailboxId: content.mailboxId };
}
