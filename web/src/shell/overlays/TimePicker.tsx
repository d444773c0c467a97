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
  /** Leaves out times that are too late. */
  isPossible?: (at: Date) => boolean;
  foot?: ReactNode;
  onPick: (at: Date) => void;
};

/** Chooses a time to come: one of the usual times, or what the person types. */
export function TimePicker({ label, keys, name, icon, presets, first = [], isPossible, foot, onPick }: Props) {
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
      return at === undefined || isPossible?.(at) === false ? [] : [choiceOf(text, at)];
    },
    [choiceOf, isPossible],
  );
  const choices = [...first, ...presets.map((preset) => choiceOf(words(`snooze.${preset.name}`), preset.at))];
  return (
    <Picker {...{ label, keys, ofWords, foot }} placeholder={words('picker.snooze')} groups={[{ name, choices }]} />
  );
}
