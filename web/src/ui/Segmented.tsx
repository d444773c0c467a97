import type { ReactNode } from 'react';
import styles from './Segmented.module.css';

/** A choice among a few, side by side. Its buttons say with `aria-pressed` which one is chosen. */
export function Segmented({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.segmented} role="group" aria-label={label}>
      {children}
    </div>
  );
}
