import { DotsButton } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';

/** Shows or hides the quoted part of a message. */
export function QuoteButton({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  return (
    <DotsButton
      label={words(isShown ? 'message.hideQuoted' : 'message.quoted')}
      aria-expanded={isShown}
      onClick={onToggle}
    />
  );
}
