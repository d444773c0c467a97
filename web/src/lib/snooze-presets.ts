import { words } from '../words/words.ts';

export type SnoozePreset = { name: string; at: Date };

const time = new Intl.DateTimeFormat('en', { weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false });

/** The usual times to come back to a ticket, in the time zone of this browser, soonest first. */
export function snoozePresets(now: Date): SnoozePreset[] {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, 0, 0);
  const presets = [
    { label: words('snooze.hours'), at: new Date(now.getTime() + 3 * 3_600_000) },
    { label: words('snooze.afternoon'), at: at(0, 13) },
    { label: words('snooze.evening'), at: at(0, 19) },
    { label: words('snooze.tomorrow'), at: at(1, 8) },
    { label: words('snooze.weekend'), at: at((6 - now.getDay() + 7) % 7 || 7, 10) },
    { label: words('snooze.monday'), at: at((1 - now.getDay() + 7) % 7 || 7, 8) },
  ];
  return presets
    .filter((preset) => preset.at > now)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map((preset) => ({ name: `${preset.label} · ${time.format(preset.at)}`, at: preset.at }));
}
