import { useState } from 'react';
import { useDensity } from '../inbox/density.ts';
import { afterAction, afterActions, chooseAfterAction } from '../lib/after-action.ts';
import { areSingleKeysOn, turnSingleKeys } from '../lib/single-keys.ts';
import { chooseTheme, chosenTheme, themes } from '../lib/theme.ts';
import { type WordKey, words } from '../words/words.ts';
import { Choices } from './Choices.tsx';
import { Section } from './Section.tsx';

/** How the inbox looks and is steered in this browser. */
export function LookSettings() {
  const [theme, setTheme] = useState(chosenTheme);
  const [density, setDensity] = useDensity();
  const [after, setAfter] = useState(afterAction);
  const [areOn, setAreOn] = useState(areSingleKeysOn);
  return (
    <>
      <Section title={words('look.theme')}>
        <Choices
          name="theme"
          label={words('look.theme')}
          options={themes.map((value) => [value, words(`look.theme.${value}` as WordKey)])}
          value={theme}
          onChoose={(value) => {
            chooseTheme(value);
            setTheme(value);
          }}
        />
      </Section>
      <Section title={words('density.label')}>
        <Choices
          name="density"
          label={words('density.label')}
          options={[
            ['comfortable', words('density.comfortable')],
            ['compact', words('density.compact')],
          ]}
          value={density}
          onChoose={setDensity}
        />
      </Section>
      <Section title={words('look.after')} hint={words('look.afterHint')}>
        <Choices
          name="after"
          label={words('look.after')}
          options={afterActions.map((value) => [value, words(`look.after.${value}` as WordKey)])}
          value={after}
          onChoose={(value) => {
            chooseAfterAction(value);
            setAfter(value);
          }}
        />
      </Section>
      <Section title={words('look.keys')} hint={words('look.keysHint')}>
        <label>
          <input
            type="checkbox"
            checked={areOn}
            onChange={(event) => {
              turnSingleKeys(event.target.checked);
              setAreOn(event.target.checked);
            }}
          />{' '}
          {words('look.singleKeys')}
        </label>
      </Section>
    </>
  );
}
