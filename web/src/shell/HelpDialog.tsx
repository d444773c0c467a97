import { useEffect, useRef, useState } from 'react';
import { type Command, commandGroups, commands } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './HelpDialog.module.css';

/** All keys, by command group. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState('');
  const { singleKeys } = usePreferences();
  useEffect(() => dialog.current?.showModal(), []);
  const groups = commandGroups
    .map((group) => ({ group, found: listed.filter((command) => command.group === group) }))
    .map(({ group, found }) => ({ group, found: found.filter((command) => matches(command, wanted)) }))
    .filter(({ found }) => found.length > 0);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="help-title" onClose={onClose}>
      <header>
        <h2 id="help-title">{words('help.title')}</h2>
        <input
          type="search"
          autoFocus
          aria-label={words('help.search')}
          placeholder={words('help.search')}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll this area */}
      <div className={styles.groups} role="region" aria-labelledby="help-title" tabIndex={0}>
        {groups.map(({ group, found }) => (
          <section key={group} aria-labelledby={`help-${group}`}>
            <h3 id={`help-${group}`}>{words(`commands.${group}`)}</h3>
            <dl>
              {found.map(({ words: label, keys, isMovement }) => (
                <div key={label} data-movement={isMovement}>
                  <dt>{words(label)}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{keyWords(key)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        {groups.length === 0 && <p role="status">{words('help.nothing')}</p>}
      </div>
      <footer>
        <label>
          <input
            type="checkbox"
            checked={singleKeys}
            onChange={({ target: { checked } }) => void choosePreferences({ singleKeys: checked })}
          />
          {words('help.singleKeys')}
        </label>
        <Button onClick={() => dialog.current?.close()}>{words('help.close')}</Button>
      </footer>
    </dialog>
  );
}

const listed: Command[] = Object.values(commands);

function matches({ words: label, keys }: Command, wanted: string): boolean {
  const asked = wanted.trim().toLowerCase();
  return words(label).toLowerCase().includes(asked) || keys.some((key) => keyWords(key).toLowerCase() === asked);
}
