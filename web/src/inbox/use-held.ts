import type { PointerEvent } from 'react';
import type { Ticket } from '../api/client.ts';
import { useStateOf } from '../lib/use-state-of.ts';

/**
 * Keeps all rows of a list in place while the person presses the mouse button on one of them. The browser gives no
 * click to a row that moves away under the pressed pointer.
 */
export function useHeld(listKey: string, newest: Ticket[]) {
  const [held, setHeld] = useStateOf<Ticket[] | undefined>(listKey, undefined);
  const onPointerDown = ({ target, button, pointerType }: PointerEvent) => {
    if (button !== 0 || pointerType !== 'mouse' || (target as Element).closest('[data-ticket]') === null) return;
    setHeld(newest);
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      // The click comes right after the button is released.
      setTimeout(() => setHeld(undefined));
    };
    for (const name of ['pointerup', 'pointercancel', 'blur'])
      window.addEventListener(name, end, { signal: ended.signal });
  };
  return { tickets: held ?? newest, onPointerDown };
}
