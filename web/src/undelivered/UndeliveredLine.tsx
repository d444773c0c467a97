import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { writeAgain } from '../compose/take-back.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { focusNeighbour, MessageLine } from '../shell/MessageLine.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { settle, type Undelivered } from './queries.ts';
import { reasonWords } from './reason-words.ts';
import styles from './Undelivered.module.css';

type Props = { item: Undelivered /** Takes the focus when no other line is left. */; onGone: () => void };

export function UndeliveredLine({ item, onGone }: Props) {
  const { workspace } = usePlace();
  const line = useRef<HTMLLIElement>(null);
  const { ticketNumber, subject, authorName, snippet, status, error, attempts, createdAt } = item;
  const people = [...item.to, ...item.cc, ...item.bcc].join(', ');
  const details = [
    words('undelivered.to', { people }),
    authorName !== null && words('undelivered.by', { person: authorName }),
    words('undelivered.attempts', { count: attempts }),
  ];
  return (
    <MessageLine
      ref={line}
      icon="alert"
      look="bad"
      to={paths.ticket(ticketNumber)}
      title={`#${ticketNumber} ${subject}`}
      time={createdAt}
      details={details}
      snippet={snippet}
    >
      <p>
        <b className={styles.bad}>{words(`delivery.${status}`)}</b>: {reasonWords(item)}
      </p>
      {error !== null && <p className={styles.details}>{words('undelivered.said', { error })}</p>}
      {workspace.role !== 'viewer' && <Actions item={item} onSettled={() => focusNeighbour(line.current, onGone)} />}
    </MessageLine>
  );
}

/** Every button names its ticket, because a list has many of them. */
function Actions({ item, onSettled }: { item: Undelivered; onSettled: () => void }) {
  const { workspace, userId } = usePlace();
  const [, navigate] = useLocation();
  const number = item.ticketNumber;
  const change = useMutation({
    mutationFn: (verb: 'retry' | 'handled') => {
      return settle(workspace.id, item, verb);
    },
    onMutate: onSettled,
    onSuccess: (_, verb) => showToast(words(`undelivered.${verb}.done`, { number })),
  });
  const again = useMutation({
    mutationFn: async () => {
      await writeAgain({ workspaceId: workspace.id, userId }, item);
      await settle(workspace.id, item, 'handled');
    },
    onSuccess: () => navigate(paths.ticket(number)),
  });
  const isBusy = change.isPending || again.isPending;
  const fault = change.error ?? again.error;
  const person = item.to[0] ?? '';
  return (
    <div className={styles.actions}>
      <Button
        size="tool"
        aria-label={words('undelivered.retryNamed', { number, person })}
        disabled={isBusy}
        onClick={() =>
          (item.status !== 'uncertain' || window.confirm(words('undelivered.twice'))) && change.mutate('retry')
        }
      >
        {words('undelivered.retry')}
      </Button>
      <Button
        size="tool"
        aria-label={words('undelivered.editNamed', { number, person })}
        disabled={isBusy}
        onClick={() => again.mutate()}
      >
        {words('undelivered.edit')}
      </Button>
      <Button
        size="tool"
        aria-label={words('undelivered.handleNamed', { number, person })}
        disabled={isBusy}
        onClick={() => change.mutate('handled')}
      >
        {words('undelivered.handle')}
      </Button>
      {fault !== null && <Fault error={fault} />}
    </div>
  );
}
