import { afterActions, densities, themes, usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { type WordKey, words } from '../words/words.ts';
import { Choices } from './Choices.tsx';
import styles from './Section.module.css';
import { Section } from './Section.tsx';
import { Shortcuts } from './shortcuts/Shortcuts.tsx';

const undoChoices = [0, 5, 10, 20, 30, 60] as const;

/** Look and keys of the inbox. The choices follow the person to every browser. */
export function LookSettings() {
  const { theme, darkMail, density, afterAction, undoSendSeconds, singleKeys } = usePreferences();
  // A program may have set another value through the API.
  const seconds = [...new Set([...undoChoices, undoSendSeconds])].sort((a, b) => a - b);
  return (
    <>
      <Section title={words('look.theme')}>
        <Choices
          name="theme"
          label={words('look.theme')}
          options={themes.map((value) => [value, words(`look.theme.${value}` as WordKey)])}
          value={theme}
          onChoose={(value) => void choosePreferences({ theme: value })}
        />
        <label>
          <input
            type="checkbox"
            checked={darkMail}
            onChange={({ target }) => void choosePreferences({ darkMail: target.checked })}
          />{' '}
          {words('look.darkMail')}
        </label>
        <p className={styles.hint}>{words('look.darkMailHint')}</p>
      </Section>
      <Section title={words('density.label')}>
        <Choices
          name="density"
          label={words('density.label')}
          options={densities.map((value) => [value, words(`density.${value}`)])}
          value={density}
          onChoose={(value) => void choosePreferences({ density: value })}
        />
      </Section>
      <Section title={words('look.after')} hint={words('look.afterHint')}>
        <Choices
          name="after"
          label={words('look.after')}
          options={afterActions.map((value) => [value, words(`look.after.${value}` as WordKey)])}
          value={afterAction}
          onChoose={(value) => void choosePreferences({ afterAction: value })}
        />
      </Section>
      <Section title={words('look.undo')} hint={words('look.undoHint')}>
        <select
          aria-label={words('look.undo')}
          value={undoSendSeconds}
          onChange={({ target }) => void choosePreferences({ undoSendSeconds: Number(target.value) })}
        >
          {seconds.map((value) => (
            <option key={value} value={value}>
              {value === 0 ? words('look.undo.none') : words('look.undo.seconds', { seconds: value })}
            </option>
          ))}
        </select>
      </Section>
      <Section title={words('look.keys')} hint={words('look.keysHint')}>
        <label>
          <input
            type="checkbox"
            checked={singleKeys}
            onChange={({ target }) => void choosePreferences({ singleKeys: target.checked })}
          />{' '}
          {words('look.singleKeys')}
        </label>
      </Section>
      <Shortcuts />
    </>
  );
}
