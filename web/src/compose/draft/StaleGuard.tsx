import type { Message } from '../../api/client.ts';
import { personOf } from '../../tickets/persons.ts';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './StaleGuard.module.css';

type Props = {
  newer: readonly Message[];
  /** Whether the answer was about to be sent. */
  isStopped: boolean;
  /** Whether it was about to be scheduled. */
  isLater: boolean;
  onSendAnyway: () => void;
  onEdit: () => void;
};

const shownChars = 600;

/** Shows the newest message that another person wrote while the answer was being written. */
export function StaleGuard({ newer, isStopped, isLater, onSendAnyway, onEdit }: Props) {
  const last = newer.at(-1);
  if (last === undefined) return null;
  const text = last.replyText ?? last.body;
  return (
    <div className={styles.guard} role={isStopped ? 'alert' : 'status'}>
      <p>
        <b>{words(last.isInternal ? 'stale.noted' : 'stale.wrote', { person: personOf(last) })}</b>
        {isStopped && ` ${words('stale.stopped')}`}
      </p>
      <blockquote className={styles.text} dir="auto">
        {text.slice(0, shownChars)}
      </blockquote>
      <div className={styles.actions}>
        {isStopped && (
          <Button onClick={onSendAnyway}>{words(isLater ? 'stale.scheduleAnyway' : 'stale.sendAnyway')}</Button>
        )}
        <Button onClick={onEdit}>{words(isStopped ? 'stale.edit' : 'stale.read')}</Button>
      </div>
    </div>
  );
}
