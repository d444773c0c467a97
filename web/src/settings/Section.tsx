import { type ReactNode, useId } from 'react';
import styles from './Section.module.css';

type Props = { title: string; hint?: string; children: ReactNode };

/** One subject of a page of settings. */
export function Section({ title, hint, children }: Props) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      {children}
    </section>
  );
}
