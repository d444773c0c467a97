import type { ReactNode, Ref } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import { Frame } from './Frame.tsx';
import styles from './SidePage.module.css';
import type { SidebarPage } from './sidebar-props.ts';

type Props = {
  page: SidebarPage;
  title: string;
  /** Stands before the title. */
  face?: ReactNode;
  /** Stands below the title. */
  lead?: ReactNode;
  /** Stands at the end of the head. */
  action?: ReactNode;
  /** Two columns need more room than one. */
  isWide?: boolean;
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
};

/** The sidebar, and beside it a page that is no list of tickets. */
export function SidePage({ page, title, face, lead, action, isWide, headingRef, children }: Props) {
  usePageTitle(title);
  return (
    <Frame page={page} className={styles.page ?? ''}>
      <div className={styles.column} data-wide={isWide}>
        <header className={styles.head}>
          {face}
          <div className={styles.titles}>
            <h1 ref={headingRef} tabIndex={-1} dir="auto">
              {title}
            </h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          {action}
        </header>
        {children}
      </div>
    </Frame>
  );
}
