import { useCallback, useMemo } from 'react';
import { memberTimeZone, soonTime } from '../../lib/dates.ts';
import { readSnooze, snoozePresets } from '../../lib/snooze-words.ts';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { type Choice, Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

export function SnoozePicker({ tickets, onChange }: PickerProps) {
  const now = useMemo(() => new Date(), []);
  const timeZone = memberTimeZone();
  const until = useCallback(
    (text: string, at: Date | null): Choice => ({
      id: text,
      text,
      mark: <Icon name={at === null ? 'close' : 'snooze'} />,
      ...(at === null ? {} : { detail: soonTime(at) }),
      run: () => {
        closeOverlay();
        onChange({ kind: 'fields', fields: { snoozedUntil: at?.toISOString() ?? null } });
      },
    }),
    [onChange],
  );
  const ofWords = useCallback(
    (text: string) => {
      const at = readSnooze(text, new Date(), timeZone);
      return at === undefined ? [] : [until(text, at)];
    },
    [timeZone, until],
  );
  const presets = snoozePresets(now, timeZone).map(({ name, at }) => until(words(`snooze.${name}`), at));
  const isSnoozed = tickets.some(({ snoozedUntil }) => snoozedUntil != null);
  return (
    <Picker
      label={words('command.snooze')}
      placeholder={words('picker.snooze')}
      keys={pickerKeys('snooze')}
      groups={[
        {
          name: words('ticket.snooze'),
          choices: isSnoozed ? [until(words('bulk.unsnooze'), null), ...presets] : presets,
        },
      ]}
      ofWords={ofWords}
    />
  );
}
