import { randomId } from '../../lib/random-id.ts';
import { remember } from '../../tickets/undo.ts';
import { words } from '../../words/words.ts';
import type { Draft } from '../queries.ts';
import { joined, nothingWritten } from './draft-content.ts';
import { type DraftHome, keeperOf, leaveKeeper } from './draft-keepers.ts';

/**
 * Empties a draft, which deletes it. Undoing writes the text again, above what was written since.
 * @param listed the draft of a list, where no composer has loaded it
 * @param onUndo shows the place of the text
 * @returns false if this page has another text in the place of the listed draft; then both stay
 */
export function discardDraft(
  home: DraftHome,
  { listed, onUndo }: { listed?: Draft; onUndo?: () => void } = {},
): boolean {
  const keeper = keeperOf(home);
  if (listed !== undefined) {
    keeper.load(listed);
    if (!keeper.holds(listed)) return false;
  }
  const { content } = keeper.read();
  const replace = (next: typeof content) => {
    const keeper = keeperOf(home);
    keeper.replace(next);
    void (keeper.isShown ? keeper.flush() : leaveKeeper(home, keeper));
  };
  replace(nothingWritten);
  remember({
    key: randomId(),
    text: words('draft.discarded'),
    undone: words('draft.restored'),
    takeBack: () => {
      onUndo?.();
      replace(joined(content, keeperOf(home).read().content));
    },
  });
  return true;
}
