import { words } from '../../words/words.ts';
import styles from './DraftStatus.module.css';
import type { DraftSnapshot } from './draft-content.ts';

/** Whether the service has saved the draft. */
export function DraftStatus({ draft: { state } }: { draft: DraftSnapshot }) {
  return (
    <span className={styles.state} data-state={state} aria-live="off">
      {state === 'saved' && words('draft.saved')}
      {state === 'unsaved' && words('draft.unsaved')}
    </span>
  );
}
