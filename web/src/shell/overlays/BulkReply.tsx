import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { randomId } from '../../lib/random-id.ts';
import { type ListedReply, savedRepliesQuery, savedReplyQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { closeOverlay, type Overlay } from '../overlay.ts';
import styles from './BulkReply.module.css';
import { Picker } from './Picker.tsx';
import { replyToMany } from './reply-to-many.ts';

type Props = Omit<Extract<Overlay, { kind: 'bulkReply' }>, 'kind'>;

/** Lets the person choose a saved reply, and shows its effects on the tickets before it answers them. */
export function BulkReply({ savedReplyId, ...rest }: Props) {
  const [chosen, setChosen] = useState(savedReplyId);
  if (chosen === undefined) return <ReplyChoice onChoose={setChosen} />;
  return <Sure key={chosen} savedReplyId={chosen} {...rest} onOther={() => setChosen(undefined)} />;
}

function ReplyChoice({ onChoose }: { onChoose: (id: string) => void }) {
  const { workspace } = usePlace();
  const [text, setText] = useState('');
  const { data = [] } = useQuery(savedRepliesQuery(workspace.id, useDeferredValue(text.trim()), 'used'));
  const choiceOf = ({ id, name, shortcut }: ListedReply) => ({
    ...{ id, text: name, run: () => onChoose(id) },
    // The service also looks into the texts, so its results match the typed text.
    also: text,
    ...(shortcut !== null && { detail: `;;${shortcut}` }),
  });
  return (
    <Picker
      label={words('command.bulkReply')}
      placeholder={words('bulkReply.search')}
      onWords={setText}
      groups={[{ name: words('replies.list'), choices: data.map(choiceOf) }]}
    />
  );
}

type SureProps = Omit<Props, 'savedReplyId'> & { savedReplyId: string; onOther: () => void };

function Sure({ tickets, savedReplyId, onOutcome, onOther }: SureProps) {
  const { workspace } = usePlace();
  const { data: reply, error, refetch } = useQuery(savedReplyQuery(workspace.id, savedReplyId));
  const [key] = useState(randomId);
  const [done, setDone] = useState(0);
  const { length: count } = tickets;
  const send = useMutation({
    mutationFn: () => replyToMany(workspace.id, tickets, { savedReplyId, key, onProgress: setDone }),
    onSuccess: (outcome) => {
      closeOverlay();
      onOutcome(outcome);
      showToast(words('bulkReply.done', { count: outcome.changedCount, name: reply?.name ?? '' }));
    },
  });
  if (reply === undefined)
    return (
      <div className={styles.preview}>
        {error === null ? <p>{words('loading')}</p> : <Fault error={error} onRetry={() => void refetch()} />}
      </div>
    );
  const hasText = reply.body.trim() !== '' || reply.bodyHtml !== null;
  return (
    <div className={styles.preview}>
      <h2 dir="auto">{reply.name}</h2>
      {hasText && (
        <p className={styles.text} dir="auto">
          {reply.body}
        </p>
      )}
      <p>{words(hasText ? 'bulkReply.mails' : 'bulkReply.onlyActions', { count })}</p>
      {hasText && Object.keys(reply.actions).length > 0 && <p>{words('bulkReply.runs')}</p>}
      {hasText && <p>{words('bulkReply.fills')}</p>}
      {send.error !== null && <Fault error={send.error} />}
      <p role="status">{send.isPending && words('bulkReply.progress', { done, count })}</p>
      <div className={styles.actions}>
        {/* Mails cannot be taken back, so a second press of the key that chose the reply must not send them. */}
        <Button autoFocus disabled={send.isPending} onClick={onOther}>
          {words('bulkReply.other')}
        </Button>
        <Button look="primary" disabled={send.isPending} onClick={() => send.mutate()}>
          {words(hasText ? 'bulkReply.do' : 'bulkReply.run', { count })}
        </Button>
      </div>
    </div>
  );
}
