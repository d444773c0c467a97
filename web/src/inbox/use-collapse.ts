import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Ticket } from '../api/client.ts';
import { prefersStill } from '../lib/media.ts';

const durationMs = 140;
/** More rows than that leave by a change of many tickets, and rows from far below would fly past. */
const leavingMax = 5;

/**
 * Lets rows slide up into the places of rows that have left the list. They are in their places at once, for keys and
 * pointer too: only their picture moves.
 */
export function useCollapse(box: RefObject<HTMLElement | null>, list: string, tickets: readonly Ticket[]): void {
  const before = useRef({ list, tickets });
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { list, tickets };
    if (last.list !== list || last.tickets === tickets || prefersStill()) return;
    const left = new Set(tickets.map(({ id }) => id));
    const leaving = last.tickets.filter(({ id }) => !left.has(id)).length;
    if (leaving === 0 || leaving > leavingMax) return;
    const easing = getComputedStyle(document.documentElement).getPropertyValue('--ease');
    const places = new Map(last.tickets.map(({ id }, at) => [id, at]));
    for (const row of box.current?.querySelectorAll<HTMLElement>('[data-ticket]') ?? []) {
      const from = places.get(row.dataset.ticket ?? '');
      const rise = from === undefined ? 0 : from - Number(row.dataset.index);
      if (rise > 0)
        row.animate([{ translate: `0 ${rise * row.offsetHeight}px` }, { translate: 'none' }], {
          duration: durationMs,
          easing,
        });
    }
  }, [box, list, tickets]);
}
