import { useLayoutEffect, useRef, useState } from 'react';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { commandProps } from '../commands.ts';
import { usePlace } from '../session/Guard.tsx';
import { isAddress } from './addresses.ts';
import type { ComposerMode } from './composer-mode.ts';
import { type DraftContent, isNothing, joined, nothingWritten } from './draft-content.ts';
import type { WritingBoxHandle } from './editor/writing-box-props.ts';
import { type Recipients, recipientsOf } from './recipients-of.ts';
import { newerThan } from './stale.ts';
import { isTakingBack } from './take-back.ts';
import { useDraft } from './use-draft.ts';
import { type SendOptions, useSend } from './use-send.ts';
import { useUploads } from './use-uploads.ts';

export type Composing = ReturnType<typeof useComposer>;

type Surroundings = {
  onMode: (mode: ComposerMode | undefined) => void;
  onLeave: () => void;
  /** Whether the composer has the focus. */
  isWriting: () => boolean;
};

/** The state of a ticket's composer: text, recipients, files, and the actions on them. */
export function useComposer(
  ticket: TicketWithMessages,
  mode: ComposerMode | undefined,
  { onMode, onLeave, isWriting }: Surroundings,
) {
  const { workspace, userId } = usePlace();
  const place = { workspaceId: workspace.id, ticketId: ticket.id };
  const answer = useDraft(userId, { ...place, kind: 'answer' });
  const note = useDraft(userId, { ...place, kind: 'note' });
  const isNote = mode === 'note';
  const modeNow = useRef(mode);
  useLayoutEffect(() => {
    modeNow.current = mode;
  }, [mode]);
  const { keeper, draft } = isNote ? note : answer;
  const { content } = draft;
  const { send, sendError, newerId, forgetNewer } = useSend({ workspaceId: workspace.id, userId }, ticket);
  const [stopped, setStopped] = useState<Omit<SendOptions, 'isNote'>>();
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
  const newer = isNote || isNothing(content) ? [] : newerThan(ticket.messages, { ...content, newerId, userId });
  const newestId = newerId ?? ticket.messages.at(-1)?.id ?? null;
  const post = (written: DraftContent, options: Omit<SendOptions, 'isNote'>) => {
    const onSuccess = ({ id }: Message) => {
      // Undoing the answer shows its ticket, so the page stays there.
      if (isTakingBack(id)) return;
      // The person may be writing the next text meanwhile, and must not leave it in the middle of a word.
      if (isWriting() || !isNothing(keeper.read().content)) return;
      if (options.thenStatus === 'closed') onLeave();
    };
    // Opens the composer again for a refused note, which has returned there.
    const onError = () => isNote && modeNow.current === undefined && onMode(mode);
    send.mutate({ ...options, isNote, content: written, recipients, keeper }, { onSuccess, onError });
    // Without the focus, single keys are commands again, also on the next ticket.
    box.current?.blur();
    onMode(undefined);
  };
  const submit = (options: Omit<SendOptions, 'isNote'> = {}) => {
    if (!canSend) return;
    if (newer.length > 0) setStopped(options);
    else post(content, options);
  };
  /** Sends, and opens the picker of the snooze time meanwhile. */
  const submitAndSnooze = () => {
    if (!canSend || newer.length > 0) return submit();
    submit();
    commandProps('snooze').onClick();
  };
  const markRead = () => {
    keeper.change({ lastSeenMessageId: newestId });
    setStopped(undefined);
    forgetNewer();
    box.current?.focus();
  };
  const sendAnyway = () => {
    setStopped(undefined);
    forgetNewer();
    if (canSend) post({ ...content, lastSeenMessageId: newestId }, stopped ?? {});
  };
  /** Switches between answer and note, and takes the text along. */
  const switchMode = () => {
    const target = isNote ? answer : note;
    const { body, bodyHtml, files } = content;
    if (!isNothing(content)) {
      target.keeper.replace(joined(target.draft.content, { ...nothingWritten, body, bodyHtml, files }));
      keeper.replace({ ...content, body: '', bodyHtml: null, files: [] });
      // A file belongs to one draft at a time, so this draft is saved without it first.
      void keeper.flush();
    }
    onMode(isNote ? 'answer' : 'note');
  };
  const chooseRecipients = (chosen: Recipients, from = keeper) => from.change({ ...chosen, areRecipientsChosen: true });
  const answerTo = (to: string[]) => {
    chooseRecipients({ to, cc: [], bcc: [] }, answer.keeper);
    onMode('answer');
  };

  const forward = (messageId: string) => {
    answer.keeper.change({ forwardOf: messageId });
    chooseRecipients({ to: [], cc: [], bcc: [] }, answer.keeper);
    onMode('answer');
  };
  /** Turns a forwarded message back into an answer. */
  const forwardNothing = () => keeper.change({ forwardOf: null, areRecipientsChosen: false });

  return {
    ...{ mode, isNote, onMode, keeper, draft, content, ticket, userId, box },
    ...{ files, recipients, hasRecipient, canSend, isCcShown, setIsCcShown },
    ...{ write, submit, submitAndSnooze, switchMode, chooseRecipients, answerTo, forward, forwardNothing },
    ...{ newer, isStopped: stopped !== undefined || newerId !== undefined, markRead, sendAnyway },
    ...{ isSending: send.isPending, sendError },
  };
}
