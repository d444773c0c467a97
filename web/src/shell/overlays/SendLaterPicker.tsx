import { useCallback, useMemo, useState } from 'react';
import { memberTimeZone } from '../../lib/dates.ts';
import { snoozePresets } from '../../lib/snooze-words.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { words } from '../../words/words.ts';
import type { Overlay } from '../overlay.ts';
import { pickerKeys } from './picker-props.ts';
import styles from './SendLaterPicker.module.css';
import { TimePicker } from './TimePicker.tsx';

/** As far ahead as the service schedules a message. */
const daysMax = 90;

type Props = Extract<Overlay, { kind: 'sendLater' }>;

/** When a mail leaves, and whether a reply of the customer cancels it. */
export function SendLaterPicker({ isAgain = false, isFirst = false, onPick }: Props) {
  const [unlessReplied, setUnlessReplied] = useState(!isFirst);
  const presets = useMemo(
    () => snoozePresets(new Date(), memberTimeZone()).filter(({ name }) => name !== 'weekend'),
    [],
  );
  const pick = useCallback((at: Date) => onPick(at, unlessReplied), [onPick, unlessReplied]);
  const name = words(isAgain ? 'schedule.change' : 'command.sendLater');
  return (
    <TimePicker
      label={name}
      keys={isAgain ? undefined : pickerKeys('sendLater')}
      name={name}
      icon="clock"
      presets={presets}
      tooLate={tooLate}
      head={
        !isAgain &&
        !isFirst && (
          <div className={styles.head}>
            <Checkbox checked={unlessReplied} onChange={({ target }) => setUnlessReplied(target.checked)}>
              {words('schedule.unlessReplied')}
            </Checkbox>
          </div>
        )
      }
      onPick={pick}
    />
  );
}

function tooLate(at: Date): string | undefined {
  const isPossible = at.getTime() - Date.now() <= daysMax * 86_400_000;
  return isPossible ? undefined : words('schedule.tooLate', { days: daysMax });
}
