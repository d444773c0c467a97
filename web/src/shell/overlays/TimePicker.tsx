import { type ReactNode, useCallback } from 'react';
import { memberTimeZone, soonTime } from '../../lib/dates.ts';
import { readSnooze, type SnoozePreset } from '../../lib/snooze-words.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { type Choice, Picker } from './Picker.tsx';

type Props = {
  label: string;
  keys: string | undefined;
  /** Names the choices. */
  name: string;
  icon: IconName;
  presets: readonly SnoozePreset[];
  /** Choices before the times. */
  first?: readonly Choice[];
  /** Says why a time is too late to be chosen. */
  tooLate?: (at: Date) => string | undefined;
  head?: ReactNode;
  onPick: (at: Date) => void;
};

/** Chooses a time to come: one of the usual times, or what the person types. */
export function TimePicker({ label, keys, name, icon, presets, first = [], tooLate, head, onPick }: Props) {
  const choiceOf = useCallback(
    (text: string, at: Date): Choice => ({
      ...{ id: text, text, mark: <Icon name={icon} />, detail: soonTime(at) },
      run: () => {
        closeOverlay();
        onPick(at);
      },
    }),
    [icon, onPick],
  );
  const ofWords = useCallback(
    (text: string) => {
      const at = readSnooze(text, new Date(), memberTimeZone());
      if (at === undefined) return [];
      const why = tooLate?.(at);
      return why === undefined ? [choiceOf(text, at)] : why;
    },
    [choiceOf, tooLate],
  );
  const choices = [...first, ...presets.map((preset) => choiceOf(words(`snooze.${preset.name}`), preset.at))];
  return (
    <Picker {...{ label, keys, ofWords, head }} placeholder={words('picker.snooze')} groups={[{ name, choices }]} />
  );
}
