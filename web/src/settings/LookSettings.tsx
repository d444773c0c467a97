import { afterActions, densities, themes, usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Choice } from '../ui/Choice.tsx';
import { Choices } from '../ui/Choices.tsx';
import { type WordKey, words } from '../words/words.ts';
import { Row, Section } from './Section.tsx';

const undoChoices = [0, 5, 10, 20, 30, 60] as const;

/** Look and ways of the inbox. The choices follow the person to every browser. */
export function LookSettings() {
  const { theme, darkMail, density, afterAction, undoSendSeconds } = usePreferences();
  // A program may have set another value through the API.
  const seconds = [...new Set([...undoChoices, undoSendSeconds])].sort((a, b) => a - b);
  return (
    <>
      <Section title={words('settings.look')}>
        <Row title={words('look.theme')}>
          <Choices
            isBar
            name="theme"
            label={words('look.theme')}
            options={themes.map((value) => [value, words(`look.theme.${value}` as WordKey)])}
            value={theme}
            onChoose={(value) => void choosePreferences({ theme: value })}
          />
        </Row>
        <Row title={words('look.darkMail')} help={words('look.darkMailHint')}>
          <Checkbox
            isSwitch
            aria-label={words('look.darkMail')}
            checked={darkMail}
            onChange={({ target }) => void choosePreferences({ darkMail: target.checked })}
          />
        </Row>
        <Row title={words('density.label')}>
          <Choices
            isBar
            name="density"
            label={words('density.label')}
            options={densities.map((value) => [value, words(`density.${value}`)])}
            value={density}
            onChoose={(value) => void choosePreferences({ density: value })}
          />
        </Row>
      </Section>
      <Section title={words('look.behaviour')}>
        <Row title={words('look.after')} help={words('look.afterHint')}>
          <Choice
            aria-label={words('look.after')}
            options={afterActions.map((value) => [value, words(`look.after.${value}` as WordKey)])}
            value={afterAction}
            onChoose={(value) => void choosePreferences({ afterAction: value })}
          />
        </Row>
        <Row title={words('look.undo')} help={words('look.undoHint')}>
          <Choice
            aria-label={words('look.undo')}
            value={String(undoSendSeconds)}
            options={seconds.map((value) => [
              String(value),
              value === 0 ? words('look.undo.none') : words('look.undo.seconds', { seconds: value }),
            ])}
            onChoose={(value) => void choosePreferences({ undoSendSeconds: Number(value) })}
          />
        </Row>
      </Section>
    </>
  );
}
