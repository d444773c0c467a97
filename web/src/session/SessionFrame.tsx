import { type ReactNode, useEffect } from 'react';
import { words } from '../words/words.ts';
import styles from './SessionFrame.module.css';

type Props = { title: string; children: ReactNode };

/** The sheet on which people sign in, register and follow links from mails. */
export function SessionFrame({ title, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${words('app')}`;
  }, [title]);
  return (
    <main className={styles.frame}>
      <div className={styles.sheet}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
