import { type CommandId, commands, isFixedKey, keysOf } from '../../commands.ts';
import type { ChosenKeys } from '../../lib/preferences.ts';

const ids = Object.keys(commands) as CommandId[];

/** The commands that the keys would no longer reach, or that would hide the keys: the same keys, or their beginning. */
export function rivalsOf(chosen: readonly ChosenKeys[], id: CommandId, keys: readonly string[]): CommandId[] {
  return ids.filter(
    (other) => other !== id && keysOf(other, chosen).some((taken) => keys.some((key) => collide(key, taken))),
  );
}

/** Gives keys to a command; '' means none. The commands that had them keep their other keys. */
export function withKeys(chosen: readonly ChosenKeys[], id: CommandId, keys: string): ChosenKeys[] {
  return withoutRivals([...chosen.filter(({ command }) => command !== id), { command: id, keys }], id, [keys]);
}

/** Gives a command its own keys back. */
export function withOwnKeys(chosen: readonly ChosenKeys[], id: CommandId): ChosenKeys[] {
  return withoutRivals(
    chosen.filter(({ command }) => command !== id),
    id,
    commands[id].keys,
  );
}

function withoutRivals(chosen: readonly ChosenKeys[], id: CommandId, keys: readonly string[]): ChosenKeys[] {
  const rivals = rivalsOf(chosen, id, keys);
  const left = rivals.map((command) => {
    const rest = keysOf(command, chosen).filter(
      (taken) => !isFixedKey.test(taken) && !keys.some((key) => collide(key, taken)),
    );
    return { command, keys: rest[0] ?? '' };
  });
  return [...chosen.filter(({ command }) => !rivals.includes(command as CommandId)), ...left];
}

function collide(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a !== '' && b !== '' && (a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `));
}
