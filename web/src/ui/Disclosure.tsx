import type { ReactNode } from 'react';
import styles from './Disclosure.module.css';
import { Icon } from './Icon.tsx';

type Props = { summary: ReactNode; isOpen?: boolean; children: ReactNode };

/** A line that opens what is below it. */
export function Disclosure({ summary, isOpen = false, children }: Props) {
  return (
    <details className={styles.disclosure} open={isOpen}>
      <summary>
        <Icon name="right" size={14} />
        <span>{summary}</span>
      </summary>
      <div className={styles.content}>{children}</div>
    </details>
  );
}
