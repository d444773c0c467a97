import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useEffect, useState } from 'react';
import { inWorkspace, type Message } from '../../api/client.ts';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { refreshTicket } from '../../tickets/sending/sending.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './Delivery.module.css';
import { ScheduledWord } from './ScheduledWord.tsx';

type Props = { message: Message; onUndo: ((message: Message) => void) | undefined };
type Delivery = NonNullable<Message['delivery']>;

const troubled: ReadonlySet<Delivery['status']> = new Set(['failed', 'bounced', 'uncertain', 'cancelled']);

const icons: Record<Delivery['status'], IconName> = {
  scheduled: 'clock',
  queued: 'clock',
  sending: 'clock',
  sent: 'checks',
  failed: 'alert',
  bounced: 'alert',
  uncertain: 'help',
  cancelled: 'undo',
};

/** The delivery state of an answer, with buttons to undo, send now or retry. */
export function DeliveryWord({ message, onUndo }: Props) {
  const { workspace } = usePlace();
  const retry = useMutation({
    mutationFn: () =>
      inWorkspace(workspace.id).POST('/tickets/{ticketId}/messages/{messageId}/retry', {
        path: { ticketId: message.ticketId, messageId: message.id },
      }),
    onSettled: () => refreshTicket(workspace.id, message.ticketId),
  });
  const { delivery } = message;
  const leavesIn = useSecondsUntil(leavesAt(delivery));
  if (delivery === null) return null;
  if (delivery.status === 'scheduled') return <ScheduledWord message={message} delivery={delivery} />;
  const { status, isFile, error, sentAt, attempts, nextAttemptAt, handledAt, isDraftAgain } = delivery;
  const isHeldBack = status === 'queued' && attempts === 0 && leavesIn > 0;
  const retrying = status === 'queued' && attempts > 0 && nextAttemptAt !== null;
  const nextAttempt = retrying && words('delivery.nextAttempt', { time: shortTime(nextAttemptAt) });
  return (
    <div className={styles.delivery} data-status={isFile ? 'file' : status}>
      <Icon name={isFile ? 'alert' : icons[status]} size={14} />
      <span>
        {isHeldBack ? words('delivery.leavesIn', { seconds: leavesIn }) : words(`delivery.${isFile ? 'file' : status}`)}
        {error !== null && `: ${error}`}
        {handledAt !== null && ` · ${words('delivery.handled')}`}
        {retrying && ` · ${words('delivery.attempts', { count: attempts })} · ${nextAttempt}`}
      </span>
      {sentAt !== null && (
        <time dateTime={sentAt} title={fullTime(sentAt)}>
          {shortTime(sentAt)}
        </time>
      )}
      {isHeldBack && onUndo !== undefined && <Tool onClick={() => onUndo(message)}>{words('delivery.undo')}</Tool>}
      {isHeldBack && message.isBeingSent !== true && (
        <Tool disabled={retry.isPending} onClick={() => retry.mutate()}>
          {words('delivery.sendNow')}
        </Tool>
      )}
      {(troubled.has(status) || retrying) && message.redacted == null && isDraftAgain !== true && (
        <Tool disabled={retry.isPending} onClick={() => retry.mutate()}>
          {words('delivery.retry')}
        </Tool>
      )}
      {retry.error !== null && <Fault error={retry.error} />}
    </div>
  );
}

function Tool(props: ComponentProps<'button'>) {
  return <Button look="quiet" size="tool" className={styles.button} {...props} />;
}

function leavesAt(delivery: Delivery | null): number | null {
  const { status, attempts, nextAttemptAt } = delivery ?? { status: 'sent', attempts: 0, nextAttemptAt: null };
  return status === 'queued' && attempts === 0 && nextAttemptAt !== null ? Date.parse(nextAttemptAt) : null;
}

/** Counts the seconds down to a time. Without a time, or after it, no timer runs. */
function useSecondsUntil(at: number | null): number {
  const left = at === null ? 0 : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setTicks((ticks) => ticks + 1), 1_000);
    return () => clearTimeout(timer);
  });
  return left;
}
