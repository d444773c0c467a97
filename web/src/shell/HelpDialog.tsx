import { useEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { commands } from './commands.ts';
import styles from './HelpDialog.module.css';

/** All keys. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">{words('help.title')}</h2>
      <dl>
        {Object.entries(commands).map(([id, command]) => (
          <div key={id}>
            <dt>
              <kbd>{command.shown}</kbd>
            </dt>
            <dd>{words(command.words)}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={() => dialog.current?.close()}>{words('help.close')}</Button>
    </dialog>
  );
}
