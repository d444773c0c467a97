import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { TicketWithMessages } from '../api/client.ts';
import type { ComposerMode } from '../inbox/InboxPage.tsx';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { DraftConflict, DraftStatus } from './DraftStatus.tsx';
import type { DraftContent } from './draft-content.ts';
import { UndoSend } from './UndoSend.tsx';
import { useDraft } from './use-draft.ts';
import { isNewer, type SendOptions, useSend } from './use-send.ts';
import { WritingBox, type WritingBoxHandle } from './WritingBox.tsx';

type Props = {
  ticket: TicketWithMessages;
  mode: ComposerMode | undefined;
  onMode: (mode: ComposerMode | undefined) => void;
};

/** Writes answers, which can be taken back for ten seconds, and notes, which nobody can take for answers. */
export function Composer({ ticket, mode, onMode }: Props) {
  const { workspace, userId } = usePlace();
  const isNote = mode === 'note';
  const kind = isNote ? 'note' : 'answer';
  const { keeper, draft } = useDraft(userId, { workspaceId: workspace.id, ticketId: ticket.id, kind });
  const { content } = draft;
  const { send, cancel, sent, forgetSent } = useSend(workspace.id, ticket);
  const box = useRef<WritingBoxHandle>(null);
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  useEffect(() => {
    if (mode !== undefined) box.current?.focus();
  }, [mode]);

  const recipients = [...ticket.replyDefaults.to, ...ticket.replyDefaults.cc];
  const hasRecipient = isNote || recipients.length > 0;
  const canSend = content.body.trim() !== '' && hasRecipient && draft.state !== 'conflict' && !send.isPending;
  const submit = (options: Omit<SendOptions, 'isNote'> = {}) => {
    if (!canSend) return;
    send.mutate({ ...options, isNote, content, keeper }, { onSuccess: () => onMode(undefined) });
    // Single keys are commands again.
    box.current?.blur();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      submit(event.shiftKey && !isNote ? { thenStatus: 'closed' } : {});
    } else if (event.key === 'Escape') {
      // The list would take it for its own.
      event.stopPropagation();
      box.current?.blur();
      onMode(undefined);
    }
  };
  const write = (written: Pick<DraftContent, 'body' | 'bodyHtml'>) =>
    keeper.change({ ...written, lastSeenMessageId: content.lastSeenMessageId ?? newestOf(ticket) });

  return (
    <section
      className={styles.composer}
      onKeyDown={onKeyDown}
      data-mode={mode ?? 'answer'}
      aria-label={words(isNote ? 'compose.note' : 'compose.answer')}
    >
      {sent !== undefined && (
        <UndoSend
          key={sent.content.body}
          onCancel={() => cancel.mutate(sent, { onSuccess: () => onMode('answer') })}
          onGone={forgetSent}
        />
      )}
      <div className={styles.modes} role="group">
        <Button look="quiet" aria-pressed={!isNote} aria-keyshortcuts="r" onClick={() => onMode('answer')}>
          {words('compose.answer')}
        </Button>
        <Button look="quiet" aria-pressed={isNote} aria-keyshortcuts="n" onClick={() => onMode('note')}>
          {words('compose.note')}
        </Button>
        {!isNote && hasRecipient && (
          <span className={styles.to}>
            {words('compose.to')}: {recipients.join(', ')}
          </span>
        )}
      </div>
      {!hasRecipient && <p>{words('compose.noRecipient')}</p>}
      <DraftConflict draft={draft} keeper={keeper} />
      <WritingBox
        key={kind}
        handle={box}
        content={content}
        revision={draft.revision}
        label={words('compose.text')}
        isNote={isNote}
        members={members.map(({ userId: id, name, email }) => ({ userId: id, name: name ?? email }))}
        onWrite={write}
        onFiles={() => undefined}
        onFocus={() => mode === undefined && onMode('answer')}
        onBlur={() => void keeper.flush()}
      />
      {send.error !== null &&
        (isNewer(send.error) ? <p role="alert">{words('compose.newer')}</p> : <Fault error={send.error} />)}
      {cancel.error !== null && <Fault error={cancel.error} />}
      <div className={styles.actions}>
        <Button look="primary" disabled={!canSend} aria-keyshortcuts="Control+Enter" onClick={() => submit()}>
          {isNote
            ? words('compose.addNote')
            : words('compose.send', { people: ticket.requester?.name ?? recipients[0] ?? '' })}
        </Button>
        {!isNote && (
          <Button disabled={!canSend} onClick={() => submit({ thenStatus: 'closed' })}>
            {words('compose.sendAndClose')}
          </Button>
        )}
        <DraftStatus draft={draft} />
      </div>
    </section>
  );
}

function newestOf({ messages }: TicketWithMessages): string | null {
  return messages.at(-1)?.id ?? null;
}
