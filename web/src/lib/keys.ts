import { type KeybindingPress, matchKeybindingPress, parseKeybinding } from 'tinykeys';

/** Seconds between two keys of a sequence, as mail programs have it. */
const sequenceMs = 1_000;

type Bound<Id> = { id: Id; presses: KeybindingPress[] };

/**
 * Reads keys one after the other.
 * @param bindings what each command is bound to: `e`, `Shift+R`, `$mod+k` (⌘ on Macs, Ctrl elsewhere), `g i`
 * @returns a function that takes a key and answers with the command that the key completes. A sequence wins over the single key
 * of its last part: behind `g`, `i` is no command of its own.
 */
export function keyReader<Id>(bindings: readonly (readonly [id: Id, keys: string])[]) {
  const bound: Bound<Id>[] = bindings.map(([id, keys]) => ({ id, presses: parseKeybinding(anyLayout(keys)) }));
  let begun: Bound<Id>[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  return (event: KeyboardEvent): Id | undefined => {
    if (isModifier(event.key) || isOtherChord(event)) return undefined;
    // When the keys were pressed counts: a busy page may take them up late.
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

/** A sign needs Shift on one keyboard and AltGr on another: it counts, not how it was made. */
function anyLayout(keys: string): string {
  return keys
    .split(' ')
    .map((press) => (/^[^a-z0-9]$/i.test(press) ? `[Shift]+[Alt]+[Control]+${press}` : press))
    .join(' ');
}

/** AltGr is Ctrl and Alt at once for some systems; Ctrl with a sign alone belongs to the browser. */
function isOtherChord(event: KeyboardEvent): boolean {
  const isSign = /^[^a-z0-9]$/i.test(event.key);
  return isSign && event.ctrlKey && !event.shiftKey && !event.altKey && event.key !== '\\';
}

function isModifier(key: string): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta' || key === 'AltGraph';
}

const onMac = typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

const signs: Record<string, string> = { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑', Enter: '⏎' };

/** Keys as people read them: `g i`, `⇧R`, `⌘K` on a Mac and `Ctrl K` elsewhere. */
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
  if (modifier === '$mod') return isMac ? '⌘' : 'Ctrl ';
  return modifier === 'Shift' ? '⇧' : `${modifier} `;
}

/** Keys for `aria-keyshortcuts`, which knows no sequences. */
export function ariaKeys(keys: readonly string[], isMac = onMac): string | undefined {
  const single = keys.filter((key) => !key.includes(' '));
  return single.length === 0
    ? undefined
    : single.map((key) => key.replace('$mod', isMac ? 'Meta' : 'Control')).join(' ');
}
