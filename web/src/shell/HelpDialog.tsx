import { useEffect, useRef, useState } from 'react';
import { type Command, type CommandId, commandGroups, commands, commandWords, keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { Button } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { words } from '../words/words.ts';
import styles from './HelpDialog.module.css';

/** All keys, by command group. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState('');
  const { singleKeys } = usePreferences();
  useEffect(() => dialog.current?.showModal(), []);
  const listed = listedCommands();
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
          className="text-field"
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
              {found.map(({ id, keys, isMovement }) => (
                <div key={id} data-movement={isMovement}>
                  <dt>{commandWords(id)}</dt>
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
        <Checkbox
          isSwitch
          checked={singleKeys}
          onChange={({ target: { checked } }) => void choosePreferences({ singleKeys: checked })}
        >
          {words('help.singleKeys')}
        </Checkbox>
        <Button onClick={() => dialog.current?.close()}>{words('help.close')}</Button>
      </footer>
    </dialog>
  );
}

type Listed = Command & { id: CommandId };
const all = Object.entries(commands) as [CommandId, Command][];

/** All commands with their present keys. */
function listedCommands(): Listed[] {
  return all.map(([id, command]) => ({ ...command, id, keys: keysOf(id) }));
}

function matches({ id, keys }: Listed, wanted: string): boolean {
  const asked = wanted.trim().toLowerCase();
  return commandWords(id).toLowerCase().includes(asked) || keys.some((key) => keyWords(key).toLowerCase() === asked);
}
