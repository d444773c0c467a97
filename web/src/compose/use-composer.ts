import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import type { TicketWithMessages } from '../api/client.ts';
import { onLive } from '../api/live.ts';
import { isAddress } from '../lib/addresses.ts';
import { usePlace } from '../session/Guard.tsx';
import type { ComposerMode } from './composer-mode.ts';
import { discardDraft } from './draft/discard.ts';
import { type DraftContent, isNothing, joined, missingIn, nothingWritten } from './draft/draft-content.ts';
import { ticketHome } from './draft/draft-store.ts';
import { useDraft } from './draft/use-draft.ts';
import type { WritingBoxHandle } from './editor/writing-box-props.ts';
import { useUploads } from './files/use-uploads.ts';
import { draftsQuery } from './queries.ts';
import { type Recipients, recipientsOf } from './recipients/recipients-of.ts';
import { type Surroundings, useGuardedSend } from './use-guarded-send.ts';

export type Composing = ReturnType<typeof useComposer>;

/** The state of a ticket's composer: text, recipients, files, and the actions on them. */
export function useComposer(ticket: TicketWithMessages, chosen: ComposerMode | undefined, surroundings: Surroundings) {
  const { workspace, userId } = usePlace();
  const { onMode } = surroundings;
  const place = { workspaceId: workspace.id, ticketId: ticket.id };
  const answer = useDraft(userId, { ...place, kind: 'answer' });
  const note = useDraft(userId, { ...place, kind: 'note' });
  const isOnlyNoteBegun = isNothing(answer.draft.content) && !isNothing(note.draft.content);
  const mode = chosen ?? (isOnlyNoteBegun ? 'note' : undefined);
  const isNote = mode === 'note';
  const { keeper, draft } = isNote ? note : answer;
  const { content } = draft;
  const box = useRef<WritingBoxHandle>(null);
  /** A saved reply that waits for the text to take the place of the bar. */
  const wantedReply = useRef<{ id: string | undefined }>(undefined);
  useEffect(() => {
    const { current } = wantedReply;
    wantedReply.current = undefined;
    if (mode !== undefined && current !== undefined) box.current?.openReplies(current.id);
  }, [mode]);
  const [isCcShown, setIsCcShown] = useState(false);
  useTextsThatReturn(workspace.id, ticket.id);
  const files = useUploads(workspace.id, {
    keeper,
    onPicture: (file, uploaded) => box.current?.insertPicture(file, uploaded),
  });

  const recipients = recipientsOf(content, ticket);
  const addresses = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  const hasRecipient = isNote || recipients.to.length > 0;
  const isComplete = !isNothing(content) && hasRecipient && (isNote || addresses.every(isAddress));
  const isReady =
    isComplete && missingIn(content).length === 0 && draft.state !== 'conflict' && files.uploads.length === 0;
  const sending = useGuardedSend({ ticket, mode, keeper, content, recipients, isReady, box, ...surroundings });

  const write = (written: Partial<DraftContent>) =>
    keeper.change({ lastSeenMessageId: content.lastSeenMessageId ?? ticket.messages.at(-1)?.id ?? null, ...written });
  return {
    ...{ isNote, onMode, keeper, draft, content, ticket, userId, box },
    ...{ files, recipients, hasRecipient, isCcShown, setIsCcShown, write },
    ...sending,
    /** Undefined while there is nothing to discard, or another text to choose from. */
    discard: ['saved', 'unsaved'].includes(draft.state)
      ? () => {
          onMode(undefined);
          for (const { cancel } of files.uploads) cancel();
          discardDraft(ticketHome(userId, { ...place, kind: isNote ? 'note' : 'answer' }));
        }
      : undefined,
    insertReply: (savedReplyId?: string) => {
      if (mode === undefined) onMode('answer');
      if (box.current === null) wantedReply.current = { id: savedReplyId };
      else box.current.openReplies(savedReplyId);
    },
    ...draftActions({ answer, note, isNote, onMode }),
  };
}

/** Reads the drafts again when a delivery changes: the text of a scheduled answer may be a draft again. */
function useTextsThatReturn(workspaceId: string, ticketId: string): void {
  useEffect(
    () =>
      onLive((events) => {
        const isOurs = events.some(({ name, data }) => {
          const told = data as { type?: string; ticketId?: string };
          return name === 'message' && told.type === 'message.delivery_changed' && told.ticketId === ticketId;
        });
        if (isOurs) void queryClient.invalidateQueries(draftsQuery(workspaceId, ticketId));
      }),
    [workspaceId, ticketId],
  );
}

type Drafts = Record<ComposerMode, ReturnType<typeof useDraft>> & Pick<Surroundings, 'onMode'> & { isNote: boolean };

/** The actions that choose recipients, forward a message, or switch between answer and note. */
function draftActions({ answer, note, isNote, onMode }: Drafts) {
  const [{ keeper, draft }, other] = isNote ? [note, answer] : [answer, note];
  const chooseRecipients = (chosen: Recipients, from = keeper) => from.change({ ...chosen, areRecipientsChosen: true });
  return {
    chooseRecipients,
    /** Switches between answer and note, and takes the text along. */
    switchMode: () => {
      const { content } = draft;
      const { body, bodyHtml, files, savedReplyId, runActions, ...kept } = content;
      const moved = { body, bodyHtml, files, savedReplyId, runActions };
      if (!isNothing(content)) {
        other.keeper.replace(joined(other.draft.content, { ...nothingWritten, ...moved }));
        keeper.replace({ ...nothingWritten, ...kept });
        // A file belongs to one draft at a time, so this draft is saved without it first.
        void keeper.flush();
      }
      onMode(isNote ? 'answer' : 'note');
    },
    answerTo: (to: string[]) => {
      chooseRecipients({ to, cc: [], bcc: [] }, answer.keeper);
      onMode('answer');
    },
    forward: (messageId: string) => {
      answer.keeper.change({ forwardOf: messageId });
      chooseRecipients({ to: [], cc: [], bcc: [] }, answer.keeper);
      onMode('answer');
    },
    /** Turns a forwarded message back into an answer. */
    forwardNothing: () => keeper.change({ forwardOf: null, areRecipientsChosen: false }),
  };
}
