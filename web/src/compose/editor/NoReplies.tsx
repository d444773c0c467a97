import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import styles from './ReplyList.module.css';

/** Says that nobody has written a saved reply yet, and leads to where one does. */
export function NoReplies() {
  return (
    <p className={styles.none} role="status">
      {words('replies.none')} {/* Keeps the focus where it is until the link is followed. */}
      <Link href={paths.settings('replies')} onMouseDown={(event) => event.preventDefault()}>
        {words('replies.write')}
      </Link>
    </p>
  );
}
