import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { keyTitle, runCommand, useCommands } from '../commands.ts';
import { askForFocus } from '../lib/asked-focus.ts';
import { useUnreadInTitle } from '../lib/page-title.ts';
import { NotificationPanel, notificationsId } from '../notifications/NotificationPanel.tsx';
import { unreadCountQuery } from '../notifications/queries.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { standardLists, writeList } from '../tickets/lists.ts';
import { undoLast } from '../tickets/undo.ts';
import { Icon } from '../ui/Icon.tsx';
import { later } from '../ui/later.tsx';
import { viewsQuery } from '../views/queries.ts';
import { viewPath } from '../views/ViewBar.tsx';
import { words } from '../words/words.ts';
import { CountAgain } from './CountAgain.tsx';
import { openOverlay } from './overlay.ts';
import styles from './Sidebar.module.css';
import { SideHead } from './SideHead.tsx';
import { SideLink } from './SideLink.tsx';
import { SideLists } from './SideLists.tsx';
import type { SidebarPage, SidebarProps } from './sidebar-props.ts';
import { unreadWords } from './unread-words.ts';

const HelpDialog = later(() => import('./HelpDialog.tsx'), 'HelpDialog');

/** The id of the sidebar, for the button that opens it on a phone. */
export const sidebarId = 'sidebar';

/** The workspace, its lists and views, and the person's notifications and settings. On a phone it is a sheet. */
export function Sidebar({ place, page }: SidebarProps) {
  const { workspace } = usePlace();
  const unread = useQuery(unreadCountQuery(workspace.id)).data?.count ?? 0;
  return (
    <>
      <nav id={sidebarId} popover="auto" className={styles.sidebar} aria-label={words('list.label')}>
        <SideHead />
        <SideLists place={place} page={page} />
        <Foot unread={unread} page={page} />
      </nav>
      {/* Outside the sheet, because a phone hides the sheet. */}
      <SideWork hasList={place !== undefined} />
    </>
  );
}

/** What works on every page, with or without the sidebar: its commands, notifications, help and counts. */
export function SideWork({ hasList }: { hasList: boolean }) {
  const { workspace } = usePlace();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useUnreadInTitle(useQuery(unreadCountQuery(workspace.id)).data?.count ?? 0);
  useSideCommands({ hasList, onHelp: () => setIsHelpOpen(true) });
  return (
    <>
      <CountAgain workspaceId={workspace.id} />
      <NotificationPanel />
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}

function useSideCommands({ hasList, onHelp }: { hasList: boolean; onHelp: () => void }): void {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const go = (to: string) => () => {
    askForFocus();
    navigate(to);
  };
  const searchAtList = () => {
    navigate(paths.inbox);
    // The list then has the command.
    setTimeout(() => runCommand('search'));
  };
  useCommands({
    help: onHelp,
    undo: undoLast,
    palette: () => openOverlay({ kind: 'palette', tickets: [] }),
    search: hasList ? undefined : searchAtList,
    goNotifications: () => document.getElementById(notificationsId)?.togglePopover(),
    goSettings: go(paths.settings('look')),
    newTicket: workspace.role === 'viewer' ? undefined : () => navigate(paths.newTicket),
    goDrafts: go(paths.drafts),
    goUndelivered: go(paths.undelivered),
    goScheduled: go(paths.scheduled),
    goReports: workspace.role === 'viewer' ? undefined : go(paths.reports()),
    goContacts: go(paths.contacts()),
    ...Object.fromEntries(
      standardLists.map(({ command, parameters }) => [command, go(paths.list(writeList(parameters)))]),
    ),
    ...Object.fromEntries(views.slice(0, 9).map((view, at) => [`goView${at + 1}`, go(viewPath(view))])),
  });
}

function Foot({ unread, page }: { unread: number; page: SidebarPage | undefined }) {
  const { workspace } = usePlace();
  const badge = unreadWords(unread);
  return (
    <div className={styles.foot}>
      <button
        type="button"
        className={styles.item}
        popoverTarget={notificationsId}
        title={keyTitle(words('notifications.title'), 'goNotifications')}
        data-command="goNotifications"
      >
        <Icon name="bell" />
        <span className={styles.text}>{words('notifications.title')}</span>
        {badge !== undefined && <b className={styles.badge}>{badge}</b>}
      </button>
      <ul>
        <SideLink
          to={paths.contacts()}
          mark={<Icon name="contacts" />}
          text={words('list.contacts')}
          command="goContacts"
          isCurrent={page === 'contacts'}
        />
        {workspace.role !== 'viewer' && (
          <SideLink
            to={paths.reports()}
            mark={<Icon name="reports" />}
            text={words('list.reports')}
            command="goReports"
            isCurrent={page === 'reports'}
          />
        )}
        <SideLink
          to={paths.settings('look')}
          mark={<Icon name="settings" />}
          text={words('settings.title')}
          command="goSettings"
          isCurrent={page === 'settings'}
        />
      </ul>
    </div>
  );
}
