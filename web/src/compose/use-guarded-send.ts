import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { commandProps } from '../commands.ts';
import { usePlace } from '../session/Guard.tsx';
import { openOverlay } from '../shell/overlay.ts';
import type { ComposerMode } from './composer-mode.ts';
import { type DraftContent, isNothing } from './draft/draft-content.ts';
import type { DraftKeeper } from './draft/draft-keeper.ts';
import { newerThan } from './draft/stale.ts';
import type { WritingBoxHandle } from './editor/writing-box-props.ts';
import type { Recipients } from './recipients/recipients-of.ts';
import { isTakingBack } from './take-back.ts';
import { type SendOptions, useSend } from './use-send.ts';

export type Surroundings = {
  onMode: (mode: ComposerMode | undefined) => void;
  onLeave: () => void;
  /** Whether the composer has the focus. */
  isWriting: () => boolean;
};

type Options = Surroundings & {
  ticket: TicketWithMessages;
  mode: ComposerMode | undefined;
  keeper: DraftKeeper;
  content: DraftContent;
  recipients: Recipients;
  /** Whether text, recipients and files are complete. */
  isReady: boolean;
  box: RefObject<WritingBoxHandle | null>;
};

/** `isLater`: the writer has yet to choose a time. */
type Asked = Omit<SendOptions, 'isNote'> & { isLater?: boolean };

/** Sends the composer's text. If other people have written since the writer last looked, shows their messages first. */
export function useGuardedSend(options: Options) {
  const { ticket, mode, keeper, content, recipients, isReady, box, onMode, onLeave, isWriting } = options;
  const { workspace, userId } = usePlace();
  const isNote = mode === 'note';
  const modeNow = useRef(mode);
  useLayoutEffect(() => {
    modeNow.current = mode;
  }, [mode]);
  const { send, sendError, newerId, forgetNewer } = useSend({ workspaceId: workspace.id, userId }, ticket);
  const [stopped, setStopped] = useState<Asked>();
  const canSend = isReady && !send.isPending;
  const newer = isNote || isNothing(content) ? [] : newerThan(ticket.messages, { ...content, newerId, userId });
  const newestId = newerId ?? ticket.messages.at(-1)?.id ?? null;
  const post = (written: DraftContent, sendOptions: Omit<SendOptions, 'isNote'>) => {
    const onSuccess = ({ id }: Message) => {
      // Undoing the answer shows its ticket, so the page stays there.
      if (isTakingBack(id)) return;
      // The person may be writing the next text meanwhile, and must not leave it in the middle of a word.
      if (isWriting() || !isNothing(keeper.read().content)) return;
      if (sendOptions.thenStatus === 'closed') onLeave();
    };
    // Opens the composer again for a refused note, which has returned there.
    const onError = () => isNote && modeNow.current === undefined && onMode(mode);
    send.mutate({ ...sendOptions, isNote, content: written, recipients, keeper }, { onSuccess, onError });
    // Without the focus, single keys are commands again, also on the next ticket.
    box.current?.blur();
    onMode(undefined);
  };
  const submit = (sendOptions: Omit<SendOptions, 'isNote'> = {}) => {
    if (!canSend) return;
    if (newer.length > 0) setStopped(sendOptions);
    else post(content, sendOptions);
  };
  /** Sends, and opens the picker of the snooze time meanwhile. */
  const submitAndSnooze = () => {
    if (!canSend || newer.length > 0) return submit();
    submit();
    commandProps('snooze').onClick();
  };
  /** Asks for a time, and schedules the answer for it. */
  const submitLater = () => {
    if (!canSend) return;
    if (newer.length > 0) setStopped({ isLater: true });
    else askTime(submit);
  };
  const { isLater: _, ...asked }: Asked = stopped ?? (newerId === undefined ? {} : (send.variables ?? {}));
  const isLater = stopped?.isLater === true || asked.sendAt !== undefined;
  const markRead = () => {
    keeper.change({ lastSeenMessageId: newestId });
    setStopped(undefined);
    forgetNewer();
    box.current?.focus();
  };
  const sendAnyway = () => {
    setStopped(undefined);
    forgetNewer();
    const seen = { ...content, lastSeenMessageId: newestId };
    if (!canSend) return;
    if (isLater && !isToCome(asked.sendAt)) askTime((chosen) => post(seen, chosen));
    else post(seen, asked);
  };
  const isStopped = stopped !== undefined || newerId !== undefined;
  return { canSend, sendError, newer, isStopped, isLater, submit, submitAndSnooze, submitLater, markRead, sendAnyway };
}

function askTime(schedule: (chosen: Asked) => void): void {
  const onPick = (at: Date, unlessReplied: boolean) => schedule({ sendAt: at.toISOString(), unlessReplied });
  openOverlay({ kind: 'sendLater', onPick });
}

function isToCome(sendAt: string | undefined): boolean {
  return sendAt !== undefined && Date.parse(sendAt) > Date.now();
}
