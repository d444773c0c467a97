import { useCallback, useMemo } from 'react';
import { memberTimeZone } from '../../lib/dates.ts';
import { snoozePresets } from '../../lib/snooze-words.ts';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { type PickerProps, pickerKeys } from './picker-props.ts';
import { TimePicker } from './TimePicker.tsx';

export function SnoozePicker({ tickets, onChange }: PickerProps) {
  const presets = useMemo(() => snoozePresets(new Date(), memberTimeZone()), []);
  const snooze = useCallback(
    (at: Date | null) => onChange({ kind: 'fields', fields: { snoozedUntil: at?.toISOString() ?? null } }),
    [onChange],
  );
  const text = words('bulk.unsnooze');
  const end = () => {
    closeOverlay();
    snooze(null);
  };
  const isSnoozed = tickets.some(({ snoozedUntil }) => snoozedUntil != null);
  return (
    <TimePicker
      label={words('command.snooze')}
      keys={pickerKeys('snooze')}
      name={words('ticket.snooze')}
      icon="snooze"
      presets={presets}
      first={isSnoozed ? [{ id: text, text, mark: <Icon name="close" />, run: end }] : []}
      onPick={snooze}
    />
  );
}
