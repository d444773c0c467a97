import type { KeyboardEvent } from 'react';

/** Whether a key leaves a text that is being written. Also takes the focus away, so that the next keys are commands. */
export function isEscape(event: KeyboardEvent): boolean {
  // A menu closes itself.
  const isInMenu = (event.target as HTMLElement).closest('[popover]') !== null;
  if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing || isInMenu) return false;
  (document.activeElement as HTMLElement | null)?.blur();
  return true;
}
