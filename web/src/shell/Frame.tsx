import type { ComponentProps } from 'react';
import styles from './Frame.module.css';
import { Sidebar } from './Sidebar.tsx';
import type { SidebarProps } from './sidebar-props.ts';

type Props = ComponentProps<'main'> & SidebarProps;

/** The sidebar and, beside it, the sheet that carries a page. */
export function Frame({ place, page, className, ...sheet }: Props) {
  return (
    <div className={styles.frame}>
      <Sidebar place={place} page={page} />
      <main className={[styles.sheet, className].filter(Boolean).join(' ')} {...sheet} />
    </div>
  );
}
