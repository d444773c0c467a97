import { useRef, useState } from 'react';
import type { TicketWithMessages } from '../api/client.ts';
import type { ComposerMode } from '../inbox/InboxPage.tsx';
import { usePlace } from '../session/Guard.tsx';
import { isAddress } from './addresses.ts';
import { type DraftContent, isNothing, joined, nothingWritten } from './draft-content.ts';
import { type Recipients, recipientsOf } from './recipients-of.ts';
import { useDraft } from './use-draft.ts';
import { type SendOptions, useSend } from './use-send.ts';
import { useUploads } from './use-uploads.ts';
import type { WritingBoxHandle } from './WritingBox.tsx';

export type Composing = ReturnType<typeof useComposer>;

/** What is written on a ticket, whom it goes to, and what can be done with it. */
export function useComposer(
  ticket: TicketWithMessages,
  mode: ComposerMode | undefined,
  onMode: (mode: ComposerMode | undefined) => void,
) {
  const { workspace, userId } = usePlace();
  const place = { workspaceId: workspace.id, ticketId: ticket.id };
  const answer = useDraft(userId, { ...place, kind: 'answer' });
  const note = useDraft(userId, { ...place, kind: 'note' });
  const isNote = mode === 'note';
  const { keeper, draft } = isNote ? note : answer;
  const { content } = draft;
  const { send, cancel, sent, forgetSent } = useSend(workspace.id, ticket);
  const box = useRef<WritingBoxHandle>(null);
  const [isCcShown, setIsCcShown] = useState(false);
  const files = useUploads(workspace.id, {
    keeper,
    onPicture: ({ contentId, fileName }) => contentId !== null && box.current?.insertPicture(contentId, fileName),
  });

  const recipients = recipientsOf(content, ticket);
  const addresses = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  const hasRecipient = isNote || recipients.to.length > 0;
  const isComplete = !isNothing(content) && hasRecipient && (isNote || addresses.every(isAddress));
  const isUploading = files.uploads.length > 0;
  const canSend = isComplete && draft.state !== 'conflict' && !send.isPending && !isUploading;

  const write = (written: Partial<DraftContent>) =>
    keeper.change({ lastSeenMessageId: content.lastSeenMessageId ?? ticket.messages.at(-1)?.id ?? null, ...written });
  const submit = (options: Omit<SendOptions, 'isNote'> = {}) => {
    if (!canSend) return;
    send.mutate({ ...options, isNote, content, recipients, keeper }, { onSuccess: () => onMode(undefined) });
    // Single keys are commands again.
    box.current?.blur();
  };
  /** The text goes along from an answer to a note, or back. */
  const switchMode = () => {
    const target = isNote ? answer : note;
    const { body, bodyHtml, files } = content;
    if (!isNothing(content)) {
      target.keeper.replace(joined(target.draft.content, { ...nothingWritten, body, bodyHtml, files }));
      keeper.replace({ ...content, body: '', bodyHtml: null, files: [] });
      // A file is of one draft: this one lets go first.
      void keeper.flush();
    }
    onMode(isNote ? 'answer' : 'note');
  };
  const chooseRecipients = (chosen: Recipients, from = keeper) => from.change({ ...chosen, areRecipientsChosen: true });
  const answerTo = (to: string[]) => {
    chooseRecipients({ to, cc: [], bcc: [] }, answer.keeper);
    onMode('answer');
  };
  const undo = () => sent !== undefined && cancel.mutate(sent, { onSuccess: () => onMode('answer') });

  return {
    ...{ mode, isNote, onMode, keeper, draft, content, ticket, userId, box },
    ...{ files, recipients, hasRecipient, canSend, isCcShown, setIsCcShown },
    ...{ write, submit, switchMode, chooseRecipients, answerTo },
    ...{ isSending: send.isPending, sendError: send.error, sent, forgetSent, undo, undoError: cancel.error },
  };
}
