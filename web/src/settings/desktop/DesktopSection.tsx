import { useState } from 'react';
import { chooseDesktop, useDesktopState } from '../../lib/desktop.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';

/** Notifications of the system, in this browser. Only here does the page ask for the browser's permission. */
export function DesktopSection() {
  const state = useDesktopState();
  const [wasAsked, setWasAsked] = useState(false);
  const choose = async (wanted: boolean) => {
    await chooseDesktop(wanted);
    setWasAsked(wanted);
  };
  return (
    <Section title={words('desktop.title')} hint={words('desktop.hint')}>
      <Checkbox
        checked={state === 'on'}
        disabled={state === 'impossible' || state === 'denied'}
        onChange={({ target }) => void choose(target.checked)}
      >
        {words('desktop.on')}
      </Checkbox>
      <p role="status">
        {state === 'impossible' && words('desktop.impossible')}
        {state === 'denied' && words('desktop.denied')}
        {state === 'off' && wasAsked && words('desktop.notAllowed')}
      </p>
    </Section>
  );
}
