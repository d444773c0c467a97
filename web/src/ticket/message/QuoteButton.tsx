import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './MessageCard.module.css';

/** Shows or hides the quoted part of a message. */
export function QuoteButton({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  return (
    <Button
      look="quiet"
      className={styles.unfold}
      aria-expanded={isShown}
      aria-label={words(isShown ? 'message.hideQuoted' : 'message.quoted')}
      title={words(isShown ? 'message.hideQuoted' : 'message.quoted')}
      onClick={onToggle}
    >
      •••
    </Button>
  );
}
