import type { ReactNode } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import styles from './SessionFrame.module.css';

type Props = { title: string; children: ReactNode };

/** The frame of the pages for signing in, registering and following mailed links. */
export function SessionFrame({ title, children }: Props) {
  usePageTitle(title);
  return (
    <main className={styles.frame}>
      <div className={styles.sheet}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
