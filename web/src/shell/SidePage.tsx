import type { ReactNode, Ref } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import { Sidebar, type SidebarPage, sidebarId } from './Sidebar.tsx';
import styles from './SidePage.module.css';

type Props = {
  page: SidebarPage;
  title: string;
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
};

/** The sidebar, and beside it a page that is no list of tickets. */
export function SidePage({ page, title, headingRef, children }: Props) {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <Sidebar page={page} />
      <main className={styles.main}>
        <header className={styles.head}>
          <Button look="quiet" className={styles.menu} popoverTarget={sidebarId} aria-label={words('list.menu')}>
            <Icon name="menu" />
          </Button>
          <h1 ref={headingRef} tabIndex={-1} dir="auto">
            {title}
          </h1>
        </header>
        {children}
      </main>
    </div>
  );
}
