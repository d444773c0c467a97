import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { commandProps, commandWords, runCommand } from '../../commands.ts';
import { usePlace } from '../../session/Guard.tsx';
import { openOverlay } from '../../shell/overlay.ts';
import { IconButton, iconButtonLook } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { later } from '../../ui/later.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import type { MenuItem } from '../../ui/MenuItems.tsx';
import { words } from '../../words/words.ts';
import styles from './MessageCard.module.css';

const OriginalDialog = later(() => import('./OriginalDialog.tsx'), 'OriginalDialog');

type Props = {
  message: Message;
  /** The number of the ticket, whose messages can be split. Undefined where nothing can be changed. */
  splitNumber: number | undefined;
  onForward: ((message: Message) => void) | undefined;
  onPrint: (message: Message) => void;
  onFold: (message: Message) => void;
};

/** What one does with a message. The icons appear with the pointer or the focus; touch has them all in the menu. */
export function MessageTools({ message, splitNumber, onForward, onPrint, onFold }: Props) {
  const [isOriginalOpen, setIsOriginalOpen] = useState(false);
  const { role } = usePlace().workspace;
  const { id, direction, isInternal, isBeingSent, redacted, delivery } = message;
  const isThere = redacted == null && isBeingSent !== true;
  const canForward = isThere && !isInternal && onForward !== undefined;
  const canReply = canForward && direction === 'inbound';
  const canRedact = isThere && (role === 'owner' || role === 'admin') && !isLeaving(delivery);
  const reply = () => runCommand('answer');
  const forward = () => onForward?.(message);
  const items = () => {
    const first = [
      canReply && item(commandWords('answer'), 'reply', reply),
      canForward && item(words('message.forward'), 'forward', forward),
    ];
    const second = [
      direction === 'inbound' &&
        redacted == null &&
        item(words('message.original'), 'file', () => setIsOriginalOpen(true)),
      item(words('message.print'), 'print', () => onPrint(message)),
      splitNumber !== undefined &&
        item(words('message.split'), 'split', () =>
          openOverlay({ kind: 'split', ticketNumber: splitNumber, fromId: id }),
        ),
      item(words('message.close'), 'collapse', () => onFold(message)),
    ];
    const redact = item(words('message.redact'), 'trash', () => openOverlay({ kind: 'redact', message }));
    return [first, second, [canRedact && { ...redact, isDanger: true }]]
      .map((group) => group.filter((one) => one !== false))
      .filter((group) => group.length > 0);
  };
  return (
    <div className={styles.tools}>
      {canReply && (
        <IconButton
          icon="reply"
          {...commandProps('answer')}
          className={styles.tool}
          aria-label={commandWords('answer')}
        />
      )}
      {canForward && (
        <IconButton
          icon="forward"
          {...commandProps('forward')}
          className={styles.tool}
          aria-label={words('message.forward')}
          onClick={forward}
        />
      )}
      <MenuButton
        label={words('message.tools')}
        items={items}
        className={iconButtonLook}
        title={words('message.tools')}
      >
        <Icon name="more" />
        <span className="visually-hidden">{words('message.tools')}</span>
      </MenuButton>
      <IconButton
        icon="up"
        className={styles.tool}
        aria-label={words('message.close')}
        onClick={() => onFold(message)}
      />
      {isOriginalOpen && <OriginalDialog message={message} onClose={() => setIsOriginalOpen(false)} />}
    </div>
  );
}

function item(text: string, icon: MenuItem['icon'], run: () => void): MenuItem {
  // Runs once the menu has given the focus back.
  return { id: text, text, icon, run: () => void setTimeout(run) };
}

function isLeaving(delivery: Message['delivery']): boolean {
  return delivery !== null && ['scheduled', 'queued', 'sending'].includes(delivery.status);
}
