import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { type Command, type CommandId, commands, commandWords } from '../../commands.ts';
import { keyWords } from '../../lib/keys.ts';
import type { ChosenKeys } from '../../lib/preferences.ts';
import { Button } from '../../ui/Button.tsx';
import { type WordKey, words } from '../../words/words.ts';
import { rivalsOf } from './choices.ts';
import { readPress, withPress } from './presses.ts';
import styles from './Shortcuts.module.css';

type Props = {
  id: CommandId;
  chosen: readonly ChosenKeys[];
  /** '' means no keys. */
  onSave: (keys: string) => void;
  /** Undefined while the command has its own keys. */
  onReset: (() => void) | undefined;
  onCancel: () => void;
};

/** Takes the next one or two presses as the keys of a command, and names the commands that would lose them. */
export function KeyRecorder({ id, chosen, onSave, onReset, onCancel }: Props) {
  const command: Command = commands[id];
  const statusId = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [keys, setKeys] = useState('');
  const [refused, setRefused] = useState<WordKey>();
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && isPlain) keys !== '' && onSave(keys);
    else if (event.key === 'Backspace') setKeys('');
    else {
      const read = readPress(event.nativeEvent, command.isEverywhere === true);
      if (read === undefined) return;
      setRefused('refused' in read ? read.refused : undefined);
      if ('press' in read) setKeys(withPress(keys, read.press));
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const name = commandWords(id);
  const rivals = rivalsOf(chosen, id, [keys]);
  const lost = onReset === undefined ? [] : rivalsOf(chosen, id, command.keys);
  return (
    <div className={styles.recorder} role="group" aria-label={words('shortcuts.changeOf', { name })}>
      <input
        ref={field}
        className="text-field"
        readOnly
        aria-label={words('shortcuts.newOf', { name })}
        aria-describedby={statusId}
        placeholder={words('shortcuts.press')}
        value={keyWords(keys)}
        onKeyDown={press}
      />
      <span className={styles.buttons}>
        <Button look="primary" disabled={keys === ''} onClick={() => onSave(keys)}>
          {words(rivals.length === 0 ? 'shortcuts.save' : 'shortcuts.take')}
        </Button>
        <Button onClick={() => onSave('')}>{words('shortcuts.noKeys')}</Button>
        {onReset !== undefined && (
          <Button onClick={onReset}>
            {words('shortcuts.resetTo', {
              keys: command.keys.map((key) => keyWords(key)).join(', ') || words('shortcuts.none'),
            })}
          </Button>
        )}
        <Button look="quiet" onClick={onCancel}>
          {words('shortcuts.cancel')}
        </Button>
      </span>
      <p id={statusId} role="status" className={styles.status}>
        {refused !== undefined && words(refused)}
        {refused === undefined &&
          rivals.length > 0 &&
          words('shortcuts.taken', { keys: keyWords(keys), names: namesOf(rivals) })}
        {refused === undefined &&
          keys === '' &&
          lost.length > 0 &&
          words('shortcuts.resetTakes', { names: namesOf(lost) })}
      </p>
    </div>
  );
}

function namesOf(ids: readonly CommandId[]): string {
  return ids.map(commandWords).join(', ');
}
