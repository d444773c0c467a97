import type { ReactNode } from 'react';
import styles from './Empty.module.css';
import { Icon, type IconName } from './Icon.tsx';

/** Stands where a list has no lines. */
export function Empty({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div className={styles.empty}>
      <span className={styles.mark}>
        <Icon name={icon} size={20} />
      </span>
      <p role="status">{children}</p>
    </div>
  );
}
