import { useQuery } from '@tanstack/react-query';
import type { TicketWithMessages } from '../api/client.ts';
import { type CommandId, keysOf, runCommand, runnableCommands } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { usePlace } from '../session/Guard.tsx';
import { followersQuery } from '../tickets/follow.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import type { MenuItem } from '../ui/menu-item.ts';
import { words } from '../words/words.ts';
import styles from './TicketHead.module.css';

type Line = readonly [id: CommandId, icon: IconName, text: string];

/** Everything else that one does with a ticket, in words. It offers only what the present ticket allows. */
export function MoreMenu({ ticket }: { ticket: TicketWithMessages }) {
  const { workspace, userId } = usePlace();
  const { data: followers } = useQuery(followersQuery(workspace.id, ticket));
  const items = () => {
    const runnable = runnableCommands();
    return groupsOf(ticket, followers?.includes(userId) === true)
      .map((lines) => lines.filter(([id]) => runnable.includes(id)).map(itemOf))
      .filter((group) => group.length > 0);
  };
  return (
    <MenuButton label={words('more.label')} items={items} className={styles.more} title={words('more.label')}>
      <Icon name="more" />
      <span className="visually-hidden">{words('more.label')}</span>
    </MenuButton>
  );
}

function groupsOf(ticket: TicketWithMessages, isFollowing: boolean): readonly (readonly Line[])[] {
  const { archivedAt, spamAt, trashedAt, mergedIntoId } = ticket;
  const isHidden = trashedAt !== null || spamAt != null || mergedIntoId !== null;
  const changes: readonly Line[] = [
    ['merge', 'merge', words('command.merge')],
    ['split', 'split', words('more.split')],
  ];
  const end: Line[] = [];
  if (mergedIntoId !== null) end.push(['unmerge', 'undo', words('command.unmerge')]);
  if (!isHidden) end.push(['archive', 'archive', words(archivedAt === null ? 'bulk.archive' : 'bulk.unarchive')]);
  if (trashedAt === null && mergedIntoId === null) {
    end.push(['spam', 'spam', words(spamAt == null ? 'more.spam' : 'spam.not')]);
    end.push(['block', 'block', words('command.block')]);
  }
  if (mergedIntoId === null) end.push(['trash', 'trash', words(trashedAt === null ? 'more.trash' : 'bulk.restore')]);
  if (trashedAt !== null) end.push(['purge', 'trash', words('trash.purge')]);
  return [
    [
      ['forward', 'forward', words('message.forward')],
      ['print', 'print', words('message.print')],
      ['copyLink', 'link', words('command.copyLink')],
      ['markUnread', 'mail', words('command.markUnread')],
      ['follow', isFollowing ? 'bellOff' : 'bell', words(isFollowing ? 'more.unfollow' : 'more.follow')],
      ['contactPanel', 'rail', words('command.contactPanel')],
    ],
    isHidden ? [] : changes,
    end,
  ];
}

function itemOf([id, icon, text]: Line): MenuItem {
  const [key] = keysOf(id);
  return {
    ...{ id, icon, text, detail: key === undefined ? undefined : keyWords(key) },
    isDanger: id === 'purge',
    // Runs once the menu has given the focus back, because a command may move it.
    run: () => void setTimeout(() => runCommand(id)),
  };
}
