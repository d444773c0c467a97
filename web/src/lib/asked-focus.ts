import { useEffect, useSyncExternalStore } from 'react';
import { Watched } from './watched.ts';

/** Whether the next page takes the focus, because the person has asked for it by a key. */
class Asked extends Watched<{ isAsked: boolean }> {
  set = (isAsked: boolean): void => {
    if (isAsked !== this.read().isAsked) this.show({ isAsked });
  };
}

const asked = new Asked({ isAsked: false });
const forget = () => asked.set(false);

/**
 * Lets the page that comes take the focus to its list, once it is drawn. A press or another focus before that means
 * that the person looks at something else.
 */
export function askForFocus(): void {
  asked.set(true);
  document.addEventListener('focusin', forget, { once: true });
  document.addEventListener('pointerdown', forget, { once: true });
}

/** @param take moves the focus; undefined until there is something to move it to */
export function useAskedFocus(take: (() => void) | undefined): void {
  const { isAsked } = useSyncExternalStore(asked.subscribe, asked.read);
  useEffect(() => {
    if (!isAsked || take === undefined) return;
    forget();
    take();
  });
}

/** Leads past the sidebar: the next tab stop is the first of the page. */
export function focusMain(): void {
  const main = document.querySelector('main');
  if (main === null) return;
  main.tabIndex = -1;
  main.focus();
}
