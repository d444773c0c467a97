import type { ReactNode, Ref } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import { Frame } from './Frame.tsx';
import styles from './SidePage.module.css';
import type { SidebarPage } from './sidebar-props.ts';

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
    <Frame page={page} className={styles.page ?? ''}>
      <div className={styles.column}>
        <h1 ref={headingRef} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {children}
      </div>
    </Frame>
  );
}
