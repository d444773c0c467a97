import type { ReactNode } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './SessionFrame.module.css';

type Props = {
  title: string;
  lead?: string;
  /** Below the card: ways to other pages. */
  foot?: ReactNode;
  children: ReactNode;
};

/** The frame of the pages for signing in, registering and following mailed links. */
export function SessionFrame({ title, lead, foot, children }: Props) {
  usePageTitle(title);
  return (
    <main className={styles.frame}>
      <header className={styles.brand}>
        <span className={styles.logo}>
          <Icon name="mail" size={20} />
        </span>
        <h1>{title}</h1>
        {lead !== undefined && <p>{lead}</p>}
      </header>
      <div className={styles.card}>{children}</div>
      {foot !== undefined && <footer className={styles.foot}>{foot}</footer>}
    </main>
  );
}
