import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useSearch } from 'wouter';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { randomId } from '../../lib/random-id.ts';
import { countsQuery } from '../../tickets/counts/counts.ts';
import { remember } from '../../tickets/undo.ts';
import { faultWords } from '../../ui/fault-words.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { bodyOf, type DraftContent, isNothing } from '../draft/draft-content.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import { type DraftHome, keeperOf, leaveKeeper } from '../draft/draft-keepers.ts';
import { type DraftStore, evenIfGone, type Seen, seenOf } from '../draft/lost-saves.ts';
import { tellOtherTabs } from '../draft/other-tabs.ts';
import { withoutLostReply } from '../lost-reply.ts';
import type { Draft } from '../queries.ts';
import { isUnanswered } from '../until-answered.ts';

/** Where a draft of a new ticket is kept. */
export type NewTicketPlace = {
  userId: string;
  workspaceId: string;
  /** Undefined for the newest draft. */
  draftId?: string | undefined;
};

/** The member's newest draft of a new ticket, or the named one; null without it. */
function newTicketDraftQuery({ workspaceId, draftId }: Omit<NewTicketPlace, 'userId'>) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'drafts', 'new', ...(draftId === undefined ? [] : [draftId])],
    queryFn: () =>
      findDraft(workspaceId, ({ id, kind }) => kind === 'ticket' && (draftId === undefined || id === draftId)),
    refetchOnMount: 'always',
  });
}

/** The newest draft for which this is true. */
async function findDraft(workspaceId: string, isSought: (draft: Draft) => boolean): Promise<Draft | null> {
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const query = cursor === undefined ? {} : { cursor };
    const { items, nextCursor } = await inWorkspace(workspaceId).GET('/drafts', { query });
    const found = items.find(isSought);
    if (found !== undefined) return found;
    cursor = nextCursor;
  }
  return null;
}

export function newTicketHome(place: NewTicketPlace): DraftHome {
  const { userId, workspaceId, draftId } = place;
  return {
    key: [userId, workspaceId, 'ticket', ...(draftId === undefined ? [] : [draftId])].join(' '),
    makeStore: () => newTicketStore(place),
    read: () => queryClient.fetchQuery(newTicketDraftQuery(place)),
  };
}

/** The draft of a new ticket, and its keeper. */
export function useNewTicketDraft({ userId, workspaceId, draftId }: NewTicketPlace) {
  const keeper = keeperOf(newTicketHome({ userId, workspaceId, draftId }));
  const draft = useSyncExternalStore(keeper.subscribe, keeper.read);
  const kept = useQuery(newTicketDraftQuery({ workspaceId, draftId })).data;
  useEffect(() => {
    if (kept !== undefined) keeper.load(kept);
  }, [keeper, kept]);
  const other = usePresetRecipient(keeper, kept !== undefined);
  useEffect(
    () => () => void leaveKeeper(newTicketHome({ userId, workspaceId, draftId }), keeper),
    [keeper, userId, workspaceId, draftId],
  );
  return { keeper, draft, other };
}

/**
 * Writes to the address that the page's own address names, such as that of a contact, unless there is a draft.
 * @returns the address, where a draft stands in its way
 */
function usePresetRecipient(keeper: DraftKeeper, isLoaded: boolean): string | undefined {
  const to = new URLSearchParams(useSearch()).get('to') ?? undefined;
  const isTaken = useRef(false);
  const [other, setOther] = useState<string>();
  useEffect(() => {
    if (to === undefined || !isLoaded || isTaken.current) return;
    isTaken.current = true;
    if (isNothing(keeper.read().content)) keeper.change({ to: [to], cc: [], bcc: [], areRecipientsChosen: true });
    else setOther(to);
  }, [keeper, to, isLoaded]);
  return other;
}

type Body = ReturnType<typeof newTicketBodyOf>;

function newTicketStore(place: NewTicketPlace): DraftStore {
  const { workspaceId } = place;
  const here = inWorkspace(workspaceId);
  /** A request that creates a draft and has no answer yet. Repeating it with the same key returns the same draft. */
  let begun: { key: string; body: Body } | undefined;

  /** A refused request has no draft to wait for. */
  const answered = <Answer>(request: Promise<Answer>): Promise<Answer> =>
    request.catch((error: unknown) => {
      if (!isUnanswered(error)) begun = undefined;
      throw error;
    });
  const begin = ({ key, body }: { key: string; body: Body }, keepalive: boolean) =>
    answered(here.POST('/drafts', { header: { 'idempotency-key': key }, body, keepalive }));
  const update = ({ draftId = '', version }: Seen, body: Body, keepalive: boolean) =>
    answered(here.PUT('/drafts/{draftId}', { path: { draftId }, body: { ...body, version }, keepalive }));
  return {
    put: withoutLostReply(async (content, seen, keepalive) => {
      const body = newTicketBodyOf(content);
      let draft: Draft;
      if (seen.version > 0) draft = await update(seen, body, keepalive);
      else {
        begun ??= { key: randomId(), body };
        const { body: first } = begun;
        draft = await begin(begun, keepalive);
        await keepNewTicketDraft(place, draft);
        if (first !== body) draft = await update(seenOf(draft), body, keepalive);
      }
      begun = undefined;
      await keepNewTicketDraft(place, draft);
      return draft;
    }),
    remove: async (seen, keepalive) => {
      const { draftId, version } =
        seen.version > 0 || begun === undefined ? seen : seenOf(await begin(begun, keepalive));
      if (draftId !== undefined)
        await answered(
          evenIfGone(here.DELETE('/drafts/{draftId}', { path: { draftId }, query: { version }, keepalive })),
        );
      begun = undefined;
      await keepNewTicketDraft(place, null);
    },
  };
}

export async function keepNewTicketDraft(place: NewTicketPlace, draft: Draft | null): Promise<void> {
  const { queryKey } = newTicketDraftQuery(place);
  await queryClient.cancelQueries({ queryKey });
  tellOtherTabs(queryKey);
  queryClient.setQueryData(queryKey, draft);
}

/** The draft in the shape of the API. */
function newTicketBodyOf(content: DraftContent) {
  const { lastSeenMessageId: _, ...body } = bodyOf(content);
  const { subject, mailboxId, startsAs } = content;
  return { ...body, subject, mailboxId, startsAs };
}

/** Offers to undo the discard of a draft that is not the newest: its text begins anew, apart from the newest. */
export function offerApart(workspaceId: string, content: DraftContent): void {
  const header = { 'idempotency-key': randomId() };
  const restore = async () => {
    await inWorkspace(workspaceId).POST('/drafts', { header, body: newTicketBodyOf(content) });
    await queryClient.invalidateQueries(countsQuery(workspaceId));
  };
  const takeBack = () => void restore().catch((error: unknown) => showToast(faultWords(error), { isBad: true }));
  remember({ key: randomId(), text: words('draft.discarded'), undone: words('draft.restored'), takeBack });
}
