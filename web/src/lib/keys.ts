import { type KeybindingPress, matchKeybindingPress, parseKeybinding } from 'tinykeys';
import { words } from '../words/words.ts';

/** The longest time between two keys of a sequence, the same as in other mail programs. */
const sequenceMs = 1_000;

type Bound<Id> = { id: Id; presses: KeybindingPress[] };

/**
 * @param bindings the keys of each command: `e`, `Shift+R`, `$mod+k` (⌘ on Macs, Ctrl elsewhere), `g i`
 * @returns a function that takes one key after the other and returns the command that the key completes. A sequence
 * wins over a single key: after `g`, the key `i` does not run the command of `i`.
 */
export function keyReader<Id>(bindings: readonly (readonly [id: Id, keys: string])[]) {
  const bound: Bound<Id>[] = bindings.map(([id, keys]) => ({ id, presses: parseKeybinding(anyLayout(keys)) }));
  let begun: Bound<Id>[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  return (event: KeyboardEvent): Id | undefined => {
    if (isModifier(event.key) || isOtherChord(event)) return undefined;
    // Uses the times at which the keys were pressed, because a busy page handles them late.
    const continued = event.timeStamp - lastMs <= sequenceMs ? begun : [];
    lastMs = event.timeStamp;
    const matching = [...continued, ...bound].filter(
      ({ presses: [first] }) => first !== undefined && matchKeybindingPress(event, first),
    );
    const complete = matching.find(({ presses }) => presses.length === 1);
    begun =
      complete === undefined
        ? matching
            .filter(({ presses }) => presses.length > 1)
            .map(({ id, presses }) => ({ id, presses: presses.slice(1) }))
        : [];
    return complete?.id;
  };
}

/** Accepts a sign with any modifiers: it needs Shift on one keyboard layout and AltGr on another. */
function anyLayout(keys: string): string {
  return keys
    .split(' ')
    .map((press) => (/^[^a-z0-9]$/i.test(press) ? `[Shift]+[Alt]+[Control]+${press}` : press))
    .join(' ');
}

/** Ctrl with a sign, without Alt, belongs to the browser. Some systems report AltGr as Ctrl and Alt together. */
function isOtherChord(event: KeyboardEvent): boolean {
  const isSign = /^[^a-z0-9]$/i.test(event.key);
  return isSign && event.ctrlKey && !event.shiftKey && !event.altKey && event.key !== '\\';
}

function isModifier(key: string): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta' || key === 'AltGraph';
}

const onMac = typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

const signs: Record<string, string> = { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑', Enter: '⏎' };

/** Keys as people read them: `g i`, `⇧R`, `⌘K` on a Mac and `Ctrl K` elsewhere, which is `Strg K` in German. */
export function keyWords(keys: string, isMac = onMac): string {
  return keys
    .split(' ')
    .map((press) => {
      const parts = press.split(/(?<=\w)\+/);
      const key = parts.pop() ?? '';
      const shown = signs[key] ?? (parts.length > 0 ? key.toUpperCase() : key);
      return parts.map((part) => modifierWord(part, isMac)).join('') + shown;
    })
    .join(' ');
}

function modifierWord(modifier: string, isMac: boolean): string {
  if (modifier === '$mod') return isMac ? '⌘' : `${words('key.control')} `;
  return modifier === 'Shift' ? '⇧' : `${modifier} `;
}

/** Keys for `aria-keyshortcuts`, which cannot express sequences. */
export function ariaKeys(keys: readonly string[], isMac = onMac): string | undefined {
  const single = keys.filter((key) => !key.includes(' '));
  return single.length === 0
    ? undefined
    : single.map((key) => key.replace('$mod', isMac ? 'Meta' : 'Control')).join(' ');
}
