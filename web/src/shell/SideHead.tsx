import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type CommandId, commandProps, keysOf, runCommand } from '../commands.ts';
import { initialsOf } from '../lib/initials.ts';
import { keyWords } from '../lib/keys.ts';
import { paths } from '../paths.ts';
import { signOut } from '../session/forget.ts';
import { usePlace } from '../session/Guard.tsx';
import { meQuery } from '../session/queries.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { faultWords } from '../ui/fault-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import styles from './SideHead.module.css';

/** The workspace, the person's own menu, the search and a new ticket. */
export function SideHead() {
  const { workspace } = usePlace();
  return (
    <>
      <div className={styles.head}>
        <WorkspaceChoice />
        <OwnMenu />
      </div>
      <div className={styles.find}>
        <FindButton />
        {workspace.role !== 'viewer' && (
          <button type="button" className={styles.new} {...commandProps('newTicket')} aria-label={words('new.title')}>
            <Icon name="compose" />
          </button>
        )}
      </div>
    </>
  );
}

function WorkspaceChoice() {
  const { workspace, workspaces, choose } = usePlace();
  const [, navigate] = useLocation();
  const face = (
    <>
      <span className={styles.tile} aria-hidden="true">
        {initialsOf(workspace.name).slice(0, 1)}
      </span>
      <span className={styles.name} dir="auto">
        {workspace.name}
      </span>
    </>
  );
  if (workspaces.length === 1)
    return (
      <p className={styles.workspace} title={workspace.name}>
        {face}
      </p>
    );
  const items = () => [
    workspaces.map(({ id, name }) => ({
      id,
      text: name,
      isChosen: id === workspace.id,
      run: () => {
        choose(id);
        navigate(paths.inbox);
      },
    })),
  ];
  return (
    <MenuButton
      label={words('session.choose')}
      items={items}
      className={styles.workspace}
      aria-label={`${words('session.choose')}: ${workspace.name}`}
      title={workspace.name}
    >
      {face}
      <Icon name="updown" size={12} />
    </MenuButton>
  );
}

function OwnMenu() {
  const me = useQuery(meQuery).data?.user;
  const [, navigate] = useLocation();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: (isOut) => isOut && navigate(paths.signIn, { replace: true }),
    onError: (error) => showToast(faultWords(error), { isBad: true }),
  });
  const name = me?.name ?? me?.email ?? '';
  const run = (id: CommandId) => ({ id, detail: keyOf(id), run: () => runCommand(id) });
  const items = () => [
    [
      { id: 'profile', text: words('side.profile'), icon: 'person', run: () => navigate(paths.settings('profile')) },
    ] as const,
    [
      { ...run('help'), text: words('help.open'), icon: 'keyboard' },
      { ...run('palette'), text: words('command.palette'), icon: 'command' },
    ] as const,
    [{ id: 'signOut', text: words('session.signOut'), icon: 'signOut', run: () => leave.mutate() }] as const,
  ];
  return (
    <MenuButton
      label={words('side.account')}
      items={items}
      className={styles.me}
      aria-label={words('side.ownMenu', { person: name })}
      title={name}
      disabled={leave.isPending}
    >
      <Avatar name={name} of={me?.id ?? ''} isTeam size={24} />
    </MenuButton>
  );
}

function FindButton() {
  const key = keyOf('search');
  return (
    <button type="button" className={styles.search} {...commandProps('search')}>
      <Icon name="search" />
      <span className={styles.text}>{words('list.search')}</span>
      {key !== undefined && (
        <span className={`key-cap ${styles.key}`} aria-hidden="true">
          {key}
        </span>
      )}
    </button>
  );
}

function keyOf(id: CommandId): string | undefined {
  const [key] = keysOf(id);
  return key === undefined ? undefined : keyWords(key);
}
