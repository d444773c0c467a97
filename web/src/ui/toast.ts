import { useSyncExternalStore } from 'react';

export type Toast = {
  id: number;
  text: string;
  isBad: boolean;
  /** Stays until the person closes it. */
  stays: boolean;
  /** Tells of something that the person began a while ago. */
  isLate: boolean;
  action?: ToastAction;
};

type ToastAction = {
  text: string;
  /** The key that does the same, as people read it. */
  key?: string | undefined;
  run: () => void;
};

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** More that stay would cover the screen. */
const stayingMax = 3;
const shownMs = 8_000;
/** For what needs no action. It covers a part of the conversation. */
const shownMsOfNews = 4_000;

type Options = Partial<Pick<Toast, 'isBad' | 'stays' | 'isLate' | 'action'>>;

/**
 * Shows a message below the conversation for a while, in place of the one before, unless that stays. A late message
 * takes the place of a late one alone, unless that stays: the person may be about to undo what the other tells.
 * @returns the id for `closeToast`
 */
export function showToast(
  text: string,
  { isBad = false, action, stays = false, isLate = false }: Options = {},
): number {
  const id = ++lastId;
  const staying = toasts.filter((toast) => toast.stays).slice(stays ? 1 - stayingMax : -stayingMax);
  const isKept = (toast: Toast) => (toast.stays ? staying.includes(toast) : isLate && !toast.isLate);
  set([...toasts.filter(isKept), { id, text, isBad, stays, isLate, ...(action === undefined ? {} : { action }) }]);
  const isNews = action === undefined && !isBad;
  if (!stays) setTimeout(() => closeToast(id), isNews ? shownMsOfNews : shownMs);
  return id;
}

export function closeToast(id: number): void {
  if (toasts.some((toast) => toast.id === id)) set(toasts.filter((toast) => toast.id !== id));
}

/** Runs at a change of the workspace: they tell of tickets of the former one. */
export function closeLateToasts(): void {
  set(toasts.filter(({ isLate }) => !isLate));
}

/** Runs at a sign-out, so that the next person does not read them. */
export function closeAllToasts(): void {
  set([]);
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
