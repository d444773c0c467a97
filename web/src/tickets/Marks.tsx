import type { Ticket } from '../api/client.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './Marks.module.css';

/** The colour of a status, beside its word. */
export function StatusDot({ status }: { status: Ticket['status'] | 'snoozed' }) {
  return <span className={styles.dot} data-status={status} aria-hidden="true" />;
}

/** A priority as bars, beside its word. */
export function PriorityMark({ priority }: { priority: string }) {
  if (priority === 'urgent')
    return (
      <span className={styles.urgent}>
        <Icon name="alert" />
      </span>
    );
  return (
    <span className={styles.bars} data-priority={priority} aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

/** The colour of a tag, beside its name. */
export function TagDot({ colour }: { colour: string | undefined }) {
  return <span className={styles.tagDot} data-tag-colour={colour} aria-hidden="true" />;
}

/** The look of a tag, for `TagNames`. */
export const tagLook = styles.tag;

/** The look of a property that is a button or a word in a line of others. */
export const chipLook = styles.chip;
