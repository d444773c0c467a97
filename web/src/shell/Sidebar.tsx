import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { commandProps, keyTitle, useCommands } from '../commands.ts';
import { useUnreadInTitle } from '../lib/page-title.ts';
import { NotificationPanel, notificationsId } from '../notifications/NotificationPanel.tsx';
import { unreadCountQuery } from '../notifications/queries.ts';
import { paths } from '../paths.ts';
import { signOut } from '../session/forget.ts';
import { usePlace } from '../session/Guard.tsx';
import { countWords, useCounts } from '../tickets/counts.ts';
import { type ListPlace, standardListOf, standardLists, writeList, writePlace } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { faultWords } from '../ui/fault-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { later } from '../ui/later.tsx';
import { showToast } from '../ui/toast.ts';
import { type View, viewsQuery } from '../views/queries.ts';
import { listOf } from '../views/ViewBar.tsx';
import { words } from '../words/words.ts';
import { CountAgain } from './CountAgain.tsx';
import styles from './Sidebar.module.css';
import { SideLink } from './SideLink.tsx';

const HelpDialog = later(async () => (await import('./HelpDialog.tsx')).HelpDialog);

/** The id of the sidebar, for the button that opens it on a phone. */
export const sidebarId = 'sidebar';

/** The page that is shown in place of a list. */
export type SidebarPage = 'settings' | 'drafts' | 'undelivered' | 'contacts';

type Props = {
  /** The list that is shown. */
  place?: ListPlace | undefined;
  page?: SidebarPage | undefined;
};
type Counts = ReturnType<typeof useCounts>;

/** The workspace, its lists and views, and the person's notifications and settings. */
export function Sidebar({ place, page }: Props) {
  const { workspace } = usePlace();
  const unread = useQuery(unreadCountQuery(workspace.id)).data?.count ?? 0;
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  useUnreadInTitle(unread);
  const counts = useCounts(workspace.id);
  useSideCommands(() => setIsHelpOpen(true));
  return (
    <>
      <nav id={sidebarId} popover="auto" className={styles.sidebar} aria-label={words('list.label')}>
        <WorkspaceChoice />
        {workspace.role !== 'viewer' && (
          <Button {...commandProps('newTicket')}>
            <span aria-hidden="true">+</span> <span>{words('new.title')}</span>
          </Button>
        )}
        <StandardLinks place={place} page={page} counts={counts} />
        <ViewLinks viewId={place?.viewId} counts={counts} />
        <Foot unread={unread} page={page} />
      </nav>
      {/* Outside the drawer, because a phone hides the drawer. */}
      <CountAgain workspaceId={workspace.id} />
      <NotificationPanel />
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}

function useSideCommands(onHelp: () => void): void {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const go = (to: string | undefined) => () => to !== undefined && navigate(to);
  useCommands({
    help: onHelp,
    goNotifications: () => document.getElementById(notificationsId)?.togglePopover(),
    goSettings: go(paths.settings('look')),
    newTicket: workspace.role === 'viewer' ? undefined : go(paths.newTicket),
    goDrafts: go(paths.drafts),
    goUndelivered: go(paths.undelivered),
    goContacts: go(paths.contacts()),
    ...Object.fromEntries(
      standardLists.map(({ command, parameters }) => [command, go(paths.list(writeList(parameters)))]),
    ),
    ...Object.fromEntries(views.slice(0, 9).map((view, at) => [`goView${at + 1}`, go(viewPath(view))])),
  });
}

/** Lists of messages, which appear only while they hold any. */
const messageLists = [
  { name: 'drafts', icon: 'pencil', command: 'goDrafts', isBad: false },
  { name: 'undelivered', icon: 'alert', command: 'goUndelivered', isBad: true },
] as const;

function StandardLinks({ place, page, counts }: Props & { counts: Counts }) {
  const current = place === undefined || place.viewId !== undefined ? undefined : standardListOf(place.list)?.name;
  return (
    <ul>
      {standardLists.map(({ name, parameters, icon, command, counted }) => (
        <SideLink
          key={name}
          to={paths.list(writeList(parameters))}
          icon={icon}
          text={words(name)}
          command={command}
          isCurrent={name === current}
          count={counted && counts && countWords(counts.lists[counted])}
        />
      ))}
      {messageLists.map(({ name, icon, command, isBad }) => {
        const count = counts && countWords(counts.lists[name]);
        if (page !== name && count === undefined) return null;
        return (
          <SideLink
            key={name}
            to={paths[name]}
            icon={icon}
            text={words(`list.${name}`)}
            command={command}
            isCurrent={page === name}
            isBad={isBad}
            count={count}
          />
        );
      })}
    </ul>
  );
}

function ViewLinks({ viewId, counts }: { viewId: string | undefined; counts: Counts }) {
  const { workspace } = usePlace();
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const viewCount = (id: string) => {
    const counted = counts?.views.find(({ viewId }) => viewId === id);
    return counted && countWords(counted);
  };
  if (views.length === 0) return null;
  return (
    <>
      <h2 className={styles.heading}>{words('view.heading')}</h2>
      <ul aria-label={words('view.heading')}>
        {views.map((view, at) => (
          <SideLink
            key={view.id}
            to={viewPath(view)}
            icon={view.isShared ? 'shared' : 'view'}
            text={view.name}
            command={at < 9 ? `goView${at + 1}` : undefined}
            isCurrent={view.id === viewId}
            count={viewCount(view.id)}
          />
        ))}
      </ul>
    </>
  );
}

function viewPath(view: View): string {
  return paths.list(writePlace(listOf(view), view.id));
}

function Foot({ unread, page }: { unread: number; page: SidebarPage | undefined }) {
  const [, navigate] = useLocation();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: (isOut) => isOut && navigate(paths.signIn, { replace: true }),
    onError: (error) => showToast(faultWords(error), { isBad: true }),
  });
  return (
    <div className={styles.foot}>
      <Button
        look="quiet"
        popoverTarget={notificationsId}
        title={keyTitle(words('notifications.title'), 'goNotifications')}
        data-command="goNotifications"
      >
        <Icon name="bell" /> <span>{words('notifications.title')}</span>
        {unread > 0 && <b className={styles.badge}>{unread > 99 ? '99+' : unread}</b>}
      </Button>
      <Link
        href={paths.contacts()}
        title={keyTitle(words('list.contacts'), 'goContacts')}
        data-command="goContacts"
        aria-current={page === 'contacts' ? 'page' : undefined}
      >
        <Icon name="contacts" /> <span>{words('list.contacts')}</span>
      </Link>
      <Link
        href={paths.settings('look')}
        title={keyTitle(words('settings.title'), 'goSettings')}
        data-command="goSettings"
        aria-current={page === 'settings' ? 'page' : undefined}
      >
        <Icon name="settings" /> <span>{words('settings.title')}</span>
      </Link>
      <Button look="quiet" {...commandProps('palette')}>
        <Icon name="search" /> <span>{words('command.palette')}</span>
      </Button>
      <Button look="quiet" {...commandProps('help')}>
        <Icon name="keyboard" /> <span>{words('help.open')}</span>
      </Button>
      <Button look="quiet" title={words('session.signOut')} disabled={leave.isPending} onClick={() => leave.mutate()}>
        <Icon name="signOut" /> <span>{words('session.signOut')}</span>
      </Button>
    </div>
  );
}

function WorkspaceChoice() {
  const { workspace, workspaces, choose } = usePlace();
  const [, navigate] = useLocation();
  if (workspaces.length === 1)
    return (
      <p className={styles.workspace} title={workspace.name} dir="auto">
        {workspace.name}
      </p>
    );
  return (
    <select
      className={styles.workspace}
      aria-label={words('session.choose')}
      value={workspace.id}
      onChange={(event) => {
        choose(event.target.value);
        navigate(paths.inbox);
      }}
    >
      {workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
