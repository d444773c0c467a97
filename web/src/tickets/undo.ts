import { keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { closeToast, showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';

/** An action, and the function that undoes it. */
type Done = {
  key: string;
  text: string;
  takeBack: () => void;
  /** What to say once it is undone. Undefined where undoing takes a while, and tells of its end by itself. */
  undone?: string;
};

const levels = 10;
let done: readonly (Done & { toastId: number })[] = [];

/** Remembers an action for undo, and shows a message with an undo button. */
export function remember(entry: Done): void {
  const [key] = keysOf('undo');
  const action = {
    text: words('undo.cancel'),
    key: key === undefined ? undefined : keyWords(key),
    run: () => void undo(entry.key),
  };
  const toastId = showToast(entry.text, { action });
  done = [...done, { ...entry, toastId }].slice(-levels);
}

/** Forgets an action that was refused, or undone elsewhere. */
export function forgetDone(key: string): void {
  const entry = done.find((other) => other.key === key);
  if (entry !== undefined) closeToast(entry.toastId);
  done = done.filter((entry) => entry.key !== key);
}

export function forgetAllDone(): void {
  done = [];
}

/** Undoes the last action. */
export function undoLast(): void {
  const last = done.at(-1);
  if (last === undefined) showToast(words('undo.nothing'));
  else undo(last.key);
}

/** Undoes an action. @returns false where it was forgotten or undone already */
export function undo(key: string): boolean {
  const entry = done.find((other) => other.key === key);
  if (entry === undefined) return false;
  forgetDone(key);
  entry.takeBack();
  if (entry.undone !== undefined) showToast(entry.undone);
  return true;
}
