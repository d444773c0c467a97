import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import { Writers } from '../people/Writers.tsx';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { ComposerHead, SendButtons } from './ComposerParts.tsx';
import type { ComposerMode } from './composer-mode.ts';
import { Recipients } from './recipients/Recipients.tsx';
import { takeBackMessage } from './take-back.ts';
import { type Composing, useComposer } from './use-composer.ts';
import { useFileDrop } from './use-file-drop.ts';
import { WritingArea } from './WritingArea.tsx';

/** The actions that other parts of the ticket's page run in the composer. */
export type ComposerHandle = {
  answerTo: (addresses: string[]) => void;
  takeBack: (message: Message) => void;
  forward: (messageId: string) => void;
};

const DraftConflict = later(async () => (await import('./draft/DraftConflict.tsx')).DraftConflict);
const AnswerHints = later(async () => (await import('./AnswerHints.tsx')).AnswerHints);
const StaleGuard = later(async () => (await import('./draft/StaleGuard.tsx')).StaleGuard);

type Props = {
  ticket: TicketWithMessages;
  mode: ComposerMode | undefined;
  onMode: (mode: ComposerMode | undefined) => void;
  /** Runs after an answer that closes the ticket. */
  onLeave: () => void;
  handle: Ref<ComposerHandle>;
};

/** Writes answers and notes. Sending an answer can be undone for some seconds; notes look clearly different. */
export function Composer({ ticket, mode, onMode, onLeave, handle }: Props) {
  const { workspace } = usePlace();
  const section = useRef<HTMLElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const ccField = useRef<HTMLInputElement>(null);
  const composing = useComposer(ticket, mode, { onMode, onLeave, isWriting: () => isWritingIn(section.current) });
  const { isNote, keeper, draft, box, files, sendError } = composing;
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  useEffect(() => {
    if (mode !== undefined) box.current?.focus();
  }, [mode, box]);
  useImperativeHandle(handle, () => ({
    answerTo: composing.answerTo,
    forward: (messageId) => {
      composing.forward(messageId);
      // Runs after the text box has taken the focus.
      requestAnimationFrame(() => section.current?.querySelector<HTMLElement>('[role="combobox"]')?.focus());
    },
    takeBack: (message) => takeBackMessage(message, { workspaceId: workspace.id, userId: composing.userId, ticket }),
  }));
  const isDropping = useFileDrop((dropped) => files.add(dropped, false));
  useComposerCommands(composing, { section, picker, ccField });
  return (
    <section
      ref={section}
      className={styles.composer}
      data-mode={isNote ? 'note' : 'answer'}
      data-open={mode !== undefined || draft.state !== 'empty'}
      aria-label={words(isNote ? 'compose.note' : 'compose.answer')}
      onKeyDown={(event) => isEscape(event) && onMode(undefined)}
    >
      {isDropping && <p className={styles.drop}>{words('files.drop')}</p>}
      <Writers ticketId={ticket.id} />
      <ComposerHead composing={composing} />
      {!isNote && (
        <Recipients
          ticket={ticket}
          addresses={composing.recipients}
          onChange={composing.chooseRecipients}
          isCcShown={composing.isCcShown}
          onCc={() => composing.setIsCcShown(true)}
          ccRef={ccField}
        />
      )}
      {!isNote && <AnswerHints composing={composing} members={members} />}
      {draft.state === 'conflict' && <DraftConflict draft={draft} keeper={keeper} />}
      <WritingArea
        {...{ keeper, draft, isNote, box, picker, files, mailboxId: ticket.mailboxId }}
        onWrite={composing.write}
        replyFor={{ ticketId: ticket.id }}
        onFocus={() => mode === undefined && onMode(isNote ? 'note' : 'answer')}
      />
      {composing.newer.length > 0 && (
        <StaleGuard
          newer={composing.newer}
          isStopped={composing.isStopped}
          onSendAnyway={composing.sendAnyway}
          onEdit={composing.markRead}
        />
      )}
      {sendError !== null && <Fault error={sendError} />}
      <SendButtons composing={composing} />
    </section>
  );
}

/** Also takes the focus away, so that the next keys are commands. */
function isEscape(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.defaultPrevented) return false;
  (document.activeElement as HTMLElement | null)?.blur();
  return true;
}

function isWritingIn(section: HTMLElement | null): boolean {
  const { activeElement } = document;
  return section?.contains(activeElement) === true && activeElement?.matches(takesKeys) === true;
}

const takesKeys = 'input, textarea, [contenteditable]';

type Places = {
  section: RefObject<HTMLElement | null>;
  picker: RefObject<HTMLInputElement | null>;
  ccField: RefObject<HTMLInputElement | null>;
};

function useComposerCommands(composing: Composing, { section, picker, ccField }: Places): void {
  const { isNote, ticket, submit } = composing;
  // Keys pressed outside the composer do not send the draft.
  const inside = (run: () => void) => () => section.current?.contains(document.activeElement) === true && run();
  useCommands({
    answerSender: () => composing.answerTo(ticket.replyDefaults.to),
    send: inside(() => submit()),
    sendAndClose: isNote ? undefined : inside(() => submit({ thenStatus: 'closed' })),
    sendAndSnooze: isNote ? undefined : inside(composing.submitAndSnooze),
    switchMode: inside(composing.switchMode),
    insertReply: composing.insertReply,
    attach: inside(() => picker.current?.click()),
    cc: isNote
      ? undefined
      : inside(() => {
          composing.setIsCcShown(true);
          requestAnimationFrame(() => ccField.current?.focus());
        }),
  });
}
