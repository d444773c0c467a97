import { commandWords } from '../../commands.ts';
import type { MenuItem } from '../../ui/MenuItems.tsx';

/** The line of the toolbar's menu that discards the draft, while there is one. */
export function discardTool(discard: (() => void) | undefined): MenuItem[] {
  return discard === undefined ? [] : [{ id: 'discard', icon: 'trash', text: commandWords('discard'), run: discard }];
}
