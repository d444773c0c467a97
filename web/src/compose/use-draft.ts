import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { DraftSnapshot } from './draft-content.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import { keeperOf, leaveKeeper } from './draft-keepers.ts';
import { type DraftPlace, ticketDraftStore } from './draft-store.ts';
import { draftsQuery } from './queries.ts';

/** The member's draft of a ticket, and its keeper. */
export function useDraft(userId: string, place: DraftPlace): { keeper: DraftKeeper; draft: DraftSnapshot } {
  const { workspaceId, ticketId, kind } = place;
  const key = `${userId} ${ticketId} ${kind}`;
  const keeper = keeperOf(key, () => ticketDraftStore(place));
  const draft = useSyncExternalStore(keeper.subscribe, keeper.read);
  const kept = useQuery(draftsQuery(workspaceId, ticketId)).data;
  useEffect(() => {
    if (kept !== undefined) keeper.load(kept.find((one) => one.kind === kind) ?? null);
  }, [keeper, kept, kind]);
  useFlush(key, keeper);
  return { keeper, draft };
}

/** A page that goes sends what it has. */
export function useFlush(key: string, keeper: DraftKeeper): void {
  useEffect(() => {
    const onHide = () => void keeper.flush(true);
    const onVisibility = () => document.visibilityState === 'hidden' && onHide();
    const onOnline = () => void keeper.flush();
    window.addEventListener('pagehide', onHide);
    window.addEventListener('online', onOnline);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('online', onOnline);
      document.removeEventListener('visibilitychange', onVisibility);
      leaveKeeper(key, keeper);
    };
  }, [key, keeper]);
}
