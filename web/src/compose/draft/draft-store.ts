import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { receiveOwn } from '../../tickets/rows.ts';
import { withoutLostReply } from '../lost-reply.ts';
import { type Draft, draftsQuery } from '../queries.ts';
import { bodyOf } from './draft-content.ts';
import type { DraftHome } from './draft-keepers.ts';
import { type DraftStore, evenIfGone } from './lost-saves.ts';
import { tellOtherTabs } from './other-tabs.ts';

export type DraftPlace = { workspaceId: string; ticketId: string; kind: 'answer' | 'note' };

/** The draft of a member on a ticket. `placeOfKey` reads its key again. */
export function ticketHome(userId: string, place: DraftPlace): DraftHome {
  const { workspaceId, ticketId, kind } = place;
  return {
    key: `${userId} ${workspaceId} ${ticketId} ${kind}`,
    makeStore: () => ticketDraftStore(place),
    read: async () => {
      const drafts = await queryClient.fetchQuery(draftsQuery(workspaceId, ticketId));
      return drafts.find((one) => one.kind === kind) ?? null;
    },
  };
}

/** @returns undefined for the key of a new ticket */
export function placeOfKey(key: string): { userId: string; place: DraftPlace } | undefined {
  const [userId, workspaceId, ticketId, kind] = key.split(' ');
  if (!userId || !workspaceId || !ticketId || (kind !== 'answer' && kind !== 'note')) return undefined;
  return { userId, place: { workspaceId, ticketId, kind } };
}

/** Stores the draft of an answer or a note. */
function ticketDraftStore({ workspaceId, ticketId, kind }: DraftPlace): DraftStore {
  const here = inWorkspace(workspaceId);
  const path = { ticketId };
  const keepInCache = (draft: Draft | null) => keepDraftInCache({ workspaceId, ticketId, kind }, draft);
  return {
    put: withoutLostReply(async (content, seen, keepalive, beginKey) => {
      const { quote, forwardOf } = content;
      // A note is not mailed, so it quotes and forwards nothing.
      const body = { ...bodyOf(content), ...(kind === 'answer' ? { quote, forwardOf } : {}), ...seen, beginKey };
      const draft = await here.PUT(`/tickets/{ticketId}/drafts/${kind}`, { path, body, keepalive });
      await keepInCache(draft);
      return draft;
    }),
    remove: async (seen, keepalive) => {
      await evenIfGone(here.DELETE(`/tickets/{ticketId}/drafts/${kind}`, { path, query: seen, keepalive }));
      await keepInCache(null);
    },
  };
}

/** Puts the service's draft into the query cache; null for a draft that was sent or discarded. */
export async function keepDraftInCache(
  { workspaceId, ticketId, kind }: DraftPlace,
  draft: Draft | null,
): Promise<void> {
  const { queryKey } = draftsQuery(workspaceId, ticketId);
  // A fetch on its way may bring an older draft.
  await queryClient.cancelQueries({ queryKey });
  tellOtherTabs(queryKey);
  const drafts = queryClient.setQueryData(queryKey, (before: Draft[] | undefined) =>
    before === undefined
      ? undefined
      : [...before.filter((one) => one.kind !== kind), ...(draft === null ? [] : [draft])],
  );
  if (drafts !== undefined) receiveOwn(workspaceId, ticketId, { hasDraft: drafts.length > 0 });
  else if (draft !== null) receiveOwn(workspaceId, ticketId, { hasDraft: true });
}
