import type { ComponentProps } from 'react';
import styles from './DotsButton.module.css';
import { Icon } from './Icon.tsx';

/** Three dots that stand for a folded text, such as a quote, and open it. */
export function DotsButton({ label, ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button type="button" className={styles.dots} aria-label={label} title={label} {...rest}>
      <Icon name="more" size={14} />
    </button>
  );
}
