import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf, inWorkspace, type TicketWithMessages } from '../api/client.ts';
import type { ComposerMode } from '../inbox/InboxPage.tsx';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { draftKey, keepDraft, readDraft } from './drafts.ts';

const undoSeconds = 10;

type Props = {
  ticket: TicketWithMessages;
  mode: ComposerMode | undefined;
  onMode: (mode: ComposerMode | undefined) => void;
};
type Sent = { id: string; text: string };

/** Writes answers, which can be taken back for ten seconds, and notes, which nobody can take for answers. */
export function Composer({ ticket, mode, onMode }: Props) {
  const { workspace, userId } = usePlace();
  const isNote = mode === 'note';
  const key = draftKey(userId, ticket.id, isNote ? 'note' : 'answer');
  const [text, setText] = useState(() => readDraft(key));
  const [sent, setSent] = useState<Sent>();
  const box = useRef<HTMLTextAreaElement>(null);
  const params = { path: { workspaceId: workspace.id, ticketId: ticket.id }, header: inWorkspace(workspace.id).header };
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['workspace', workspace.id] });
  const write = (changed: string) => {
    setText(changed);
    keepDraft(key, changed);
  };

  useEffect(() => setText(readDraft(key)), [key]);
  useEffect(() => {
    if (mode !== undefined) box.current?.focus();
  }, [mode]);

  // A repeat of a request whose answer was lost is answered from memory: nothing is sent twice.
  const attempt = useRef<{ text: string; key: string }>(undefined);
  const send = useMutation({
    mutationFn: ({ thenStatus }: { thenStatus?: 'closed' }) => {
      if (attempt.current?.text !== `${mode}${text}`)
        attempt.current = { text: `${mode}${text}`, key: crypto.randomUUID() };
      const lastSeenMessageId = ticket.messages.at(-1)?.id;
      return dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages', {
          params: { ...params, header: { ...params.header, 'idempotency-key': attempt.current.key } },
          body: {
            body: text,
            ...(thenStatus === undefined ? {} : { thenStatus }),
            ...(isNote
              ? { isInternal: true }
              : {
                  sendEmail: true,
                  sendAfterSeconds: undoSeconds,
                  ...(lastSeenMessageId === undefined ? {} : { lastSeenMessageId }),
                }),
          },
        }),
      );
    },
    onSuccess: ({ id }) => {
      attempt.current = undefined;
      if (!isNote) setSent({ id, text });
      write('');
      onMode(undefined);
      // Single keys are commands again.
      box.current?.blur();
    },
    // The message that the guard tells of is to be seen beside the draft.
    onSettled: refresh,
  });
  const cancel = useMutation({
    mutationFn: ({ id }: Sent) =>
      dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages/{messageId}/cancel', {
          params: { ...params, path: { ...params.path, messageId: id } },
        }),
      ),
    onSuccess: (_cancelled, { text: taken }) => {
      setSent(undefined);
      onMode('answer');
      keepDraft(draftKey(userId, ticket.id, 'answer'), taken);
      setText(taken);
    },
    onSettled: refresh,
  });

  const recipients = [...ticket.replyDefaults.to, ...ticket.replyDefaults.cc];
  const hasRecipient = isNote || recipients.length > 0;
  const submit = (thenStatus?: 'closed') => {
    if (text.trim() !== '' && hasRecipient && !send.isPending)
      send.mutate(thenStatus === undefined ? {} : { thenStatus });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      submit(event.shiftKey && !isNote ? 'closed' : undefined);
    } else if (event.key === 'Escape') onMode(undefined);
  };

  return (
    <section
      className={styles.composer}
      data-mode={mode ?? 'answer'}
      aria-label={words(isNote ? 'compose.note' : 'compose.answer')}
    >
      {sent !== undefined && (
        <UndoSend key={sent.id} onCancel={() => cancel.mutate(sent)} onGone={() => setSent(undefined)} />
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
      <textarea
        ref={box}
        aria-label={words('compose.text')}
        rows={mode === undefined && text === '' ? 2 : 7}
        value={text}
        onFocus={() => mode === undefined && onMode('answer')}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {send.error !== null &&
        (send.error instanceof ApiError && send.error.key === 'ticket.newer_message' ? (
          <p role="alert">{words('compose.newer')}</p>
        ) : (
          <Fault error={send.error} />
        ))}
      {cancel.error !== null && <Fault error={cancel.error} />}
      <div className={styles.actions}>
        <Button
          look="primary"
          disabled={send.isPending || text.trim() === '' || !hasRecipient}
          aria-keyshortcuts="Control+Enter"
          onClick={() => submit()}
        >
          {isNote
            ? words('compose.addNote')
            : words('compose.send', { people: ticket.requester?.name ?? recipients[0] ?? '' })}
        </Button>
        {!isNote && (
          <Button disabled={send.isPending || text.trim() === '' || !hasRecipient} onClick={() => submit('closed')}>
            {words('compose.sendAndClose')}
          </Button>
        )}
      </div>
    </section>
  );
}

function UndoSend({ onCancel, onGone }: { onCancel: () => void; onGone: () => void }) {
  const [left, setLeft] = useState(undoSeconds);
  useEffect(() => {
    if (left <= 0) {
      onGone();
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left, onGone]);
  return (
    <div className={styles.undo} role="status">
      {words('undo.sending', { seconds: left })}
      <Button onClick={onCancel}>{words('undo.cancel')}</Button>
    </div>
  );
}
