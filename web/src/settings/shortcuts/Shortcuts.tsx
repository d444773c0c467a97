import { useRef, useState } from 'react';
import { type Command, type CommandId, commandGroups, commands, commandWords, keysOf } from '../../commands.ts';
import { keyWords } from '../../lib/keys.ts';
import { type ChosenKeys, usePreferences } from '../../lib/preferences.ts';
import { choosePreferences } from '../../session/preferences.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { rivalsOf, withKeys, withOwnKeys } from './choices.ts';
import { KeyRecorder } from './KeyRecorder.tsx';
import styles from './Shortcuts.module.css';

const all = Object.entries(commands) as [CommandId, Command][];

/** Every command with its keys, which the person can change. */
export function Shortcuts() {
  const { keys: chosen } = usePreferences();
  const [wanted, setWanted] = useState('');
  const [editedId, setEditedId] = useState<CommandId>();
  const list = useRef<HTMLDivElement>(null);
  const isChanged = (id: CommandId) => chosen.some(({ command }) => command === id);
  const save = (keys: ChosenKeys[], id: CommandId) => {
    void choosePreferences({ keys });
    leave(id);
  };
  const leave = (id: CommandId) => {
    setEditedId(undefined);
    // The button takes the place of the form in this draw.
    setTimeout(() => list.current?.querySelector<HTMLElement>(`[data-row="${id}"] button`)?.focus());
  };
  const reset = (id: CommandId) => {
    if (rivalsOf(chosen, id, commands[id].keys).length > 0) setEditedId(id);
    else save(withOwnKeys(chosen, id), id);
  };
  const found = all.filter(([id]) => commandWords(id).toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <Section title={words('shortcuts.title')} hint={words('shortcuts.hint')}>
      <div className={styles.tools}>
        <Field
          label={words('shortcuts.search')}
          type="search"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
        {chosen.length > 0 && (
          <Button onClick={() => void choosePreferences({ keys: [] })}>{words('shortcuts.resetAll')}</Button>
        )}
      </div>
      <div ref={list} className={styles.groups}>
        {commandGroups.map((group) => {
          const inGroup = found.filter(([, command]) => command.group === group);
          if (inGroup.length === 0) return null;
          return (
            <section key={group} aria-labelledby={`keys-${group}`}>
              <h3 id={`keys-${group}`}>{words(`commands.${group}`)}</h3>
              <ul>
                {inGroup.map(([id]) => (
                  <li key={id} data-row={id}>
                    <Row id={id} onChange={setEditedId} onReset={isChanged(id) ? reset : undefined} />
                    {editedId === id && (
                      <KeyRecorder
                        id={id}
                        chosen={chosen}
                        onSave={(keys) => save(withKeys(chosen, id, keys), id)}
                        onReset={isChanged(id) ? () => save(withOwnKeys(chosen, id), id) : undefined}
                        onCancel={() => leave(id)}
                      />
                    )}
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
        {found.length === 0 && <p role="status">{words('shortcuts.nothing')}</p>}
      </div>
    </Section>
  );
}

type RowProps = {
  id: CommandId;
  onChange: (id: CommandId) => void;
  onReset: ((id: CommandId) => void) | undefined;
};

function Row({ id, onChange, onReset }: RowProps) {
  const keys = keysOf(id);
  const name = commandWords(id);
  return (
    <>
      <span>{name}</span>
      <span className={styles.keys}>
        {keys.length === 0 && <span className={styles.none}>{words('shortcuts.none')}</span>}
        {keys.map((key) => (
          <kbd key={key}>{keyWords(key)}</kbd>
        ))}
      </span>
      <span className={styles.buttons}>
        <Button look="quiet" aria-label={words('shortcuts.changeOf', { name })} onClick={() => onChange(id)}>
          {words('shortcuts.change')}
        </Button>
        {onReset !== undefined && (
          <Button look="quiet" aria-label={words('shortcuts.resetOf', { name })} onClick={() => onReset(id)}>
            {words('shortcuts.reset')}
          </Button>
        )}
      </span>
    </>
  );
}
