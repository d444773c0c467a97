import type { CSSProperties } from 'react';
import { type Overlay, openerOfOverlay } from '../overlay.ts';

const ofProperties: ReadonlySet<string> = new Set([
  'status',
  'assign',
  'tags',
  'priority',
  'snooze',
  'mailbox',
  'requester',
]);

/** Whether an overlay chooses the value of one property. */
export function isOfProperty({ kind }: Overlay): boolean {
  return ofProperties.has(kind);
}

const width = 256;
const heightMax = 360;
/** With less room below, a picker opens above. */
const roomWanted = 240;
const gap = 4;
const margin = 8;

/**
 * Where a picker of a property opens: below or above its button, and where it covers least of the page.
 * @returns undefined where the page shows no such button; the picker is then in the middle
 */
export function placeOf(overlay: Overlay): CSSProperties | undefined {
  const anchor = isOfProperty(overlay) ? (openerOfOverlay() ?? propertyOf(overlay)) : undefined;
  if (anchor?.checkVisibility() !== true) return undefined;
  const { top, bottom, left, right } = anchor.getBoundingClientRect();
  const { innerWidth, innerHeight } = window;
  const below = innerHeight - bottom - gap - margin;
  const above = top - gap - margin;
  const isBelow = below >= Math.min(roomWanted, above);
  // From the same edge as the text of the button.
  const wanted = getComputedStyle(anchor).direction === 'rtl' ? right - width : left;
  const start = Math.max(margin, Math.min(wanted, innerWidth - width - margin));
  return {
    '--left': `${start}px`,
    '--top': isBelow ? `${bottom + gap}px` : 'auto',
    '--bottom': isBelow ? 'auto' : `${innerHeight - top + gap}px`,
    '--height': `${Math.min(heightMax, isBelow ? below : above)}px`,
  } as CSSProperties;
}

/** The shown property of the open ticket, if the picker is for that ticket alone. The rail comes last in the pane. */
function propertyOf(overlay: Overlay): HTMLElement | undefined {
  if (!('tickets' in overlay) || overlay.tickets.length !== 1) return undefined;
  const buttons = document.querySelectorAll<HTMLElement>(
    `[data-shows="${overlay.tickets[0]?.id}"] [data-command="${overlay.kind}"]`,
  );
  return [...buttons].findLast((button) => button.checkVisibility());
}
