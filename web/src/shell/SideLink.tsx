import { Link } from 'wouter';
import { keyTitle } from '../commands.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import styles from './Sidebar.module.css';

type Props = {
  to: string;
  icon: IconName;
  text: string;
  /** The command with the same effect. The title shows its keys. */
  command: string | undefined;
  isCurrent: boolean;
  count?: string | undefined;
  isBad?: boolean;
};

export function SideLink({ to, icon, text, command, isCurrent, count, isBad = false }: Props) {
  return (
    <li>
      <Link
        href={to}
        title={keyTitle(text, command)}
        data-command={command}
        data-bad={isBad}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={(event) => event.currentTarget.closest<HTMLElement>(':popover-open')?.hidePopover()}
      >
        <Icon name={icon} />
        <span className={styles.text}>{text}</span>
        {count !== undefined && <span className={styles.count}>{count}</span>}
      </Link>
    </li>
  );
}
