import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { draftsQuery } from '../queries.ts';
import type { DraftSnapshot } from './draft-content.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import { keeperOf, leaveKeeper } from './draft-keepers.ts';
import { type DraftPlace, ticketHome } from './draft-store.ts';

/** The member's draft on a ticket, and its keeper. */
export function useDraft(userId: string, place: DraftPlace): { keeper: DraftKeeper; draft: DraftSnapshot } {
  const { workspaceId, ticketId, kind } = place;
  const keeper = keeperOf(ticketHome(userId, place));
  const draft = useSyncExternalStore(keeper.subscribe, keeper.read);
  const kept = useQuery(draftsQuery(workspaceId, ticketId)).data;
  useEffect(() => {
    if (kept !== undefined) keeper.load(kept.find((one) => one.kind === kind) ?? null);
  }, [keeper, kept, kind]);
  useEffect(
    () => () => void leaveKeeper(ticketHome(userId, { workspaceId, ticketId, kind }), keeper),
    [keeper, userId, workspaceId, ticketId, kind],
  );
  return { keeper, draft };
}
