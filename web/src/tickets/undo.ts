import { closeToast, showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';

/** Something that was done, and what takes it back. */
type Done = { key: string; text: string; takeBack: () => void };

const levels = 10;
let done: readonly (Done & { toastId: number })[] = [];

/** Remembers what can be taken back, and says what was done. */
export function remember(entry: Done): void {
  const action = { text: words('undo.cancel'), run: () => void undo(entry.key) };
  const toastId = showToast(entry.text, { action });
  done = [...done, { ...entry, toastId }].slice(-levels);
}

/** What was refused, or taken back elsewhere, is not to be taken back again. */
export function forgetDone(key: string): void {
  const entry = done.find((other) => other.key === key);
  if (entry !== undefined) closeToast(entry.toastId);
  done = done.filter((entry) => entry.key !== key);
}

export function forgetAllDone(): void {
  done = [];
}

/** Takes back the last thing that was done. */
export function undoLast(): void {
  const last = done.at(-1);
  if (last === undefined) showToast(words('undo.nothing'));
  else undo(last.key);
}

/** Takes back something that was done. @returns whether it still could be */
export function undo(key: string): boolean {
  const entry = done.find((other) => other.key === key);
  if (entry === undefined) return false;
  forgetDone(key);
  entry.takeBack();
  showToast(words('undo.done', { what: entry.text }));
  return true;
}
