import { useQuery } from '@tanstack/react-query';
import type { TicketWithMessages } from '../api/client.ts';
import { type CommandId, keysOf, runCommand, runnableCommands } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { usePlace } from '../session/Guard.tsx';
import { commandWordsFor } from '../tickets/command-words.ts';
import { followersQuery } from '../tickets/follow.ts';
import { iconButtonLook } from '../ui/Button.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import type { MenuItem } from '../ui/MenuItems.tsx';
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
    <MenuButton
      label={words('more.label')}
      items={items}
      className={`${iconButtonLook} ${styles.more}`}
      title={words('more.label')}
    >
      <Icon name="more" />
      <span className="visually-hidden">{words('more.label')}</span>
    </MenuButton>
  );
}

function groupsOf(ticket: TicketWithMessages, isFollowing: boolean): readonly (readonly Line[])[] {
  const { spamAt, trashedAt, mergedIntoId } = ticket;
  const isMerged = mergedIntoId !== null;
  const isHidden = trashedAt !== null || spamAt != null || isMerged;
  const line = (id: CommandId, icon: IconName, isOffered: boolean): Line[] =>
    isOffered ? [[id, icon, commandWordsFor(id, [ticket])]] : [];
  return [
    [
      ['forward', 'forward', words('message.forward')],
      ['print', 'print', words('message.print')],
      ['copyLink', 'link', words('command.copyLink')],
      ['markUnread', 'mail', words('command.markUnread')],
      ['follow', isFollowing ? 'bellOff' : 'bell', words(isFollowing ? 'more.unfollow' : 'more.follow')],
      ['contactPanel', 'rail', words('command.contactPanel')],
      ['why', 'rule', words('command.why')],
    ],
    isHidden
      ? []
      : [
          ...line('requester', 'person', true),
          ...line('mailbox', 'mail', true),
          ...line('merge', 'merge', true),
          ['split', 'split', words('more.split')],
        ],
    [
      ...line('unmerge', 'undo', isMerged),
      ...line('archive', 'archive', !isHidden),
      ...line('spam', 'spam', trashedAt === null && !isMerged),
      ...line('block', 'block', trashedAt === null && !isMerged),
      ...line('trash', 'trash', !isMerged),
      ...line('purge', 'trash', trashedAt !== null),
    ],
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
