import { useQuery } from '@tanstack/react-query';
import { type Ref, type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import { Writers } from '../people/Writers.tsx';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { ComposerHead, switchTool } from './ComposerHead.tsx';
import type { ComposerMode } from './composer-mode.ts';
import { DraftStatus } from './draft/DraftStatus.tsx';
import { discardTool } from './draft/discard-tool.ts';
import { useFileDrop } from './files/use-file-drop.ts';
import { isEscape } from './is-escape.ts';
import { ReplyBar } from './ReplyBar.tsx';
import { nameIn } from './recipients/name-in.ts';
import { SendButtons } from './SendButtons.tsx';
import { takeBackMessage } from './take-back.ts';
import { type Composing, useComposer } from './use-composer.ts';
import { WritingArea } from './WritingArea.tsx';
import { preloadEditor } from './WritingBox.tsx';

/** The actions that other parts of the ticket's page run in the composer. */
export type ComposerHandle = {
  answerTo: (addresses: string[]) => void;
  takeBack: (message: Message) => void;
  forward: (messageId: string) => void;
};

const DraftConflict = later(() => import('./draft/DraftConflict.tsx'), 'DraftConflict');
const AnswerHints = later(() => import('./AnswerHints.tsx'), 'AnswerHints');
const EffectHint = later(() => import('./EffectHint.tsx'), 'EffectHint');
const StaleGuard = later(() => import('./draft/StaleGuard.tsx'), 'StaleGuard');
const Below = later(() => import('./Below.tsx'), 'Below');

type Props = {
  ticket: TicketWithMessages;
  mode: ComposerMode | undefined;
  onMode: (mode: ComposerMode | undefined) => void;
  /** Runs after an answer that closes the ticket. */
  onLeave: () => void;
  handle: Ref<ComposerHandle>;
};

/**
 * Writes answers and notes: a bar until the person writes or has a draft, then a card. On a phone the card covers the
 * screen while the person writes. Sending an answer can be undone for some seconds; notes look clearly different.
 */
export function Composer({ ticket, mode, onMode, onLeave, handle }: Props) {
  const { workspace } = usePlace();
  const section = useRef<HTMLElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const ccField = useRef<HTMLInputElement>(null);
  const composing = useComposer(ticket, mode, { onMode, onLeave, isWriting: () => isWritingIn(section.current) });
  const { isNote, draft, box, files } = composing;
  const isOpen = mode !== undefined || draft.state !== 'empty' || files.uploads.length > 0;
  useEffect(preloadEditor, []);
  useEffect(() => {
    if (mode !== undefined) box.current?.focus();
  }, [mode, box]);
  useFocusOnBar(section, mode);
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
      className={styles.compose}
      data-mode={isNote ? 'note' : 'answer'}
      data-sheet={mode !== undefined || undefined}
      aria-label={words(isNote ? 'compose.note' : 'compose.answer')}
      onFocus={({ target }) => mode === undefined && target.matches(textBox) && onMode(isNote ? 'note' : 'answer')}
      onKeyDown={(event) => isEscape(event) && onMode(undefined)}
    >
      <div className={styles.column}>
        <Writers ticketId={ticket.id} />
        {mode === undefined && <ReplyBar composing={composing} isOpen={isOpen} />}
        {isOpen && <Card {...{ composing, picker, ccField }} />}
        {isDropping && <p className={styles.drop}>{words('files.drop')}</p>}
      </div>
    </section>
  );
}

type CardProps = { composing: Composing } & Pick<Places, 'picker' | 'ccField'>;

function Card({ composing, picker, ccField }: CardProps) {
  const { isNote, keeper, draft, box, files, ticket, sendError, hasRecipient, content } = composing;
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const person = nameIn(ticket)(composing.recipients.to[0] ?? '') ?? composing.recipients.to[0];
  return (
    <div className={styles.card}>
      <ComposerHead composing={composing} ccField={ccField} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the text means the text */}
      <div
        className={styles.middle}
        onMouseUp={({ target, currentTarget }) => target === currentTarget && box.current?.focus()}
      >
        {!hasRecipient && !content.areRecipientsChosen && <p className={styles.hint}>{words('compose.noRecipient')}</p>}
        {!isNote && <AnswerHints composing={composing} members={members} />}
        {draft.state === 'conflict' && <DraftConflict draft={draft} keeper={keeper} />}
        <WritingArea
          {...{ keeper, draft, isNote, box, picker, files, person, tools }}
          onWrite={composing.write}
          replyFor={{ ticketId: ticket.id }}
          moreTools={() => [switchTool(composing), discardTool(composing.discard)]}
        >
          {!isNote && <Below composing={composing} />}
        </WritingArea>
        {!isNote && <EffectHint composing={composing} />}
        {composing.newer.length > 0 && (
          <StaleGuard
            newer={composing.newer}
            isStopped={composing.isStopped}
            isLater={composing.isLater}
            onSendAnyway={composing.sendAnyway}
            onEdit={composing.markRead}
          />
        )}
        {/* Once the draft is saved, the service is back. */}
        {sendError !== null && !(draft.state === 'saved' && sendError instanceof TypeError) && (
          <Fault error={sendError} />
        )}
      </div>
      <div className={styles.foot}>
        <div ref={setTools} className={styles.tools} />
        <DraftStatus draft={draft} />
        <SendButtons composing={composing} />
      </div>
    </div>
  );
}
function isWritingIn(section: HTMLElement | null): boolean {
  const { activeElement } = document;
  return section?.contains(activeElement) === true && activeElement?.matches(takesKeys) === true;
}

const textBox = 'textarea, [contenteditable]';
const takesKeys = `input, ${textBox}`;

/** Where the sheet of a phone has covered all else, the focus goes on at the bar that stands in its place. */
function useFocusOnBar(section: RefObject<HTMLElement | null>, mode: ComposerMode | undefined): void {
  const was = useRef(mode);
  useLayoutEffect(() => {
    const isClosed = was.current !== undefined && mode === undefined;
    was.current = mode;
    if (isClosed && document.activeElement === document.body)
      section.current?.querySelector<HTMLElement>('[data-command="answer"]')?.focus();
  }, [section, mode]);
}

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
    sendLater: isNote ? undefined : inside(composing.submitLater),
    switchMode: inside(composing.switchMode),
    insertReply: composing.insertReply,
    discard: composing.discard,
    attach: inside(() => picker.current?.click()),
    cc: isNote
      ? undefined
      : inside(() => {
          composing.setIsCcShown(true);
          requestAnimationFrame(() => ccField.current?.focus());
        }),
  });
}
