import { useEffect, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { undoSeconds } from './use-send.ts';

/** Counts down to the moment an answer leaves. */
export function UndoSend({ onCancel, onGone }: { onCancel: () => void; onGone: () => void }) {
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
