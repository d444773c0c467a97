import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { keyTitle } from '../commands.ts';
import styles from './Sidebar.module.css';

type Props = {
  to: string;
  /** A picture, or a dot of a colour. */
  mark: ReactNode;
  text: string;
  /** The command with the same effect. The title shows its keys. */
  command?: string | undefined;
  isCurrent: boolean;
  count?: string | undefined;
  /** The count is of what the person has not seen yet. */
  isNews?: boolean;
  isBad?: boolean;
};

export function SideLink({ to, mark, text, command, isCurrent, count, isNews = false, isBad = false }: Props) {
  return (
    <li>
      <Link
        href={to}
        className={styles.item ?? ''}
        title={keyTitle(text, command)}
        data-command={command}
        data-bad={isBad || undefined}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={(event) => event.currentTarget.closest<HTMLElement>(':popover-open')?.hidePopover()}
      >
        {mark}
        <span className={styles.text} dir="auto">
          {text}
        </span>
        {count !== undefined && <span className={isNews ? styles.badge : styles.count}>{count}</span>}
      </Link>
    </li>
  );
}
