import { keyWords } from '../lib/keys.ts';
import { preferences } from '../lib/preferences.ts';
import styles from './KeyCap.module.css';

/**
 * A key as it looks on a keyboard, beside the words of a button. Screen readers skip it: the button itself names its
 * keys. A touch screen has no keys, and a person can turn single keys off.
 */
export function KeyCap({ keys }: { keys: string | undefined }) {
  if (keys === undefined || (!keys.includes('$mod') && !preferences().singleKeys)) return null;
  const shown = keyWords(keys);
  return (
    <span className={`key-cap ${styles.cap}`} aria-hidden="true">
      {shown.length === 1 ? shown.toUpperCase() : shown}
    </span>
  );
}
