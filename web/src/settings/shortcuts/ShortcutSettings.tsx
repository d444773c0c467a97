import { usePreferences } from '../../lib/preferences.ts';
import { choosePreferences } from '../../session/preferences.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { words } from '../../words/words.ts';
import { Row, Section } from '../Section.tsx';
import { Shortcuts } from './Shortcuts.tsx';

/** The keys that run commands. */
export function ShortcutSettings() {
  const { singleKeys } = usePreferences();
  return (
    <>
      <Section title={words('help.singleKeys')}>
        <Row title={words('look.singleKeys')} help={words('look.keysHint')}>
          <Checkbox
            isSwitch
            aria-label={words('look.singleKeys')}
            checked={singleKeys}
            onChange={({ target }) => void choosePreferences({ singleKeys: target.checked })}
          />
        </Row>
      </Section>
      <Shortcuts />
    </>
  );
}
