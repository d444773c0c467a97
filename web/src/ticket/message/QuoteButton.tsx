import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './MessageCard.module.css';

/** Shows or hides the quoted part of a message. */
export function QuoteButton({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      className={styles.unfold}
      aria-expanded={isShown}
      aria-label={words(isShown ? 'message.hideQuoted' : 'message.quoted')}
      title={words(isShown ? 'message.hideQuoted' : 'message.quoted')}
      onClick={onToggle}
    >
      <Icon name="more" size={14} />
    </button>
  );
}
