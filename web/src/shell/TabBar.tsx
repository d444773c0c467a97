import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { runCommand } from '../commands.ts';
import { notificationsId } from '../notifications/NotificationPanel.tsx';
import { unreadCountQuery } from '../notifications/queries.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import { sidebarId } from './Sidebar.tsx';
import styles from './TabBar.module.css';
import { unreadWords } from './unread-words.ts';

/** The ways of a phone, at its lower edge. A ticket and a new one have the whole window. */
export function TabBar() {
  const { workspace } = usePlace();
  const [location] = useLocation();
  const unread = unreadWords(useQuery(unreadCountQuery(workspace.id)).data?.count);
  if (location.startsWith(paths.tickets) || location === paths.newTicket) return null;
  const isInbox = location === paths.inbox;
  return (
    <nav className={styles.bar} aria-label={words('tabs.label')}>
      <Link href={paths.inbox} className={styles.tab ?? ''} aria-current={isInbox ? 'page' : undefined}>
        <Face icon="inbox" text={words('tabs.inbox')} />
      </Link>
      <button type="button" className={styles.tab} onClick={() => runCommand('search')}>
        <Face icon="search" text={words('list.search')} />
      </button>
      {workspace.role !== 'viewer' && (
        <Link href={paths.newTicket} className={styles.tab ?? ''} aria-label={words('new.title')}>
          <span className={styles.new}>
            <Icon name="compose" size={20} />
          </span>
        </Link>
      )}
      <button type="button" className={styles.tab} popoverTarget={notificationsId}>
        <Face icon="bell" text={words('notifications.title')} />
        {unread !== undefined && <b className={styles.badge}>{unread}</b>}
      </button>
      <button type="button" className={styles.tab} popoverTarget={sidebarId}>
        <Face icon="menu" text={words('tabs.more')} />
      </button>
    </nav>
  );
}

function Face({ icon, text }: { icon: IconName; text: string }) {
  return (
    <>
      <Icon name={icon} size={20} />
      <span>{text}</span>
    </>
  );
}
