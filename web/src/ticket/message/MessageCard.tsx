import { type ReactNode, useState } from 'react';
import type { Message } from '../../api/client.ts';
import { commandProps } from '../../commands.ts';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { openOverlay } from '../../shell/overlay.ts';
import { withPictures } from '../../tickets/mail-html.ts';
import { personOf } from '../../tickets/persons.ts';
import { Button } from '../../ui/Button.tsx';
import { later } from '../../ui/later.tsx';
import { words } from '../../words/words.ts';
import { Warnings } from '../Warnings.tsx';
import { DeliveryWord } from './Delivery.tsx';
import { Files } from './Files.tsx';
import { MailFrame } from './MailFrame.tsx';
import styles from './MessageCard.module.css';
import { MessageText } from './MessageText.tsx';
import { Original } from './Original.tsx';
import { QuoteButton } from './QuoteButton.tsx';

const RemotePicturesBar = later(async () => (await import('./RemotePicturesBar.tsx')).RemotePicturesBar);

const Redacted = later(async () => (await import('./Redacted.tsx')).Redacted);

export type MessageActions = {
  onFold: (message: Message) => void;
  onUndo?: ((message: Message) => void) | undefined;
  onForward?: ((message: Message) => void) | undefined;
  onPrint: (message: Message) => void;
  onReplyTo?: ((addresses: string[]) => void) | undefined;
};

type Props = MessageActions & { message: Message };

/** An open plain-text message. */
export function MessageCard({ message, ...actions }: Props) {
  return (
    <CardFrame message={message} {...actions}>
      {message.redacted == null ? <MessageText message={message} /> : <Redacted redacted={message.redacted} />}
    </CardFrame>
  );
}

/**
 * An open HTML message. The card stays mounted when the ticket changes, so that its frame is refilled and not rebuilt.
 * Without a message the card is hidden.
 */
export function HtmlMessageCard({ message, ...actions }: Omit<Props, 'message'> & { message: Message | null }) {
  const [unfolded, setUnfolded] = useState<string>();
  const [unblocked, setUnblocked] = useState<string>();
  const parts = message === null ? null : htmlParts(message);
  const isWhole = message !== null && unfolded === message.id;
  const html = parts === null ? null : isWhole || parts.quoted === null ? parts.whole : parts.fresh;
  const isUnblocked = message !== null && (message.showsRemoteImages || unblocked === message.id);
  const filled =
    html === null || message === null
      ? null
      : withPictures(html, message.attachments, isUnblocked ? message.remoteImages : []);
  return (
    <CardFrame message={message} {...actions}>
      {message !== null && filled?.includes(' data-src="') === true && (
        <RemotePicturesBar
          key={message.id}
          message={message}
          html={filled}
          isShown={isUnblocked}
          onShow={() => setUnblocked(message.id)}
        />
      )}
      <MailFrame html={filled} title={message === null ? '' : words('message.frame', { person: personOf(message) })} />
      {parts !== null && parts.quoted !== null && message !== null && (
        <QuoteButton isShown={isWhole} onToggle={() => setUnfolded(isWhole ? undefined : message.id)} />
      )}
    </CardFrame>
  );
}

/** The whole HTML of a mail, its new part, and the quoted part, which is folded at first. */
function htmlParts({ bodyHtml, newHtml, quotedHtml }: Message) {
  return { whole: bodyHtml ?? '', fresh: newHtml ?? bodyHtml ?? '', quoted: quotedHtml };
}

type FrameProps = MessageActions & { message: Message | null; children: ReactNode };

function CardFrame({ message, onFold, onUndo, onForward, onPrint, onReplyTo, children }: FrameProps) {
  const person = message === null ? '' : personOf(message);
  return (
    <article
      className={styles.message}
      hidden={message === null}
      id={message === null ? undefined : `message-${message.id}`}
      data-message={message?.id}
      data-direction={message?.direction}
      tabIndex={-1}
      aria-label={words('message.frame', { person })}
    >
      {message !== null && (
        <Head
          key={`head ${message.id}`}
          message={message}
          onFold={() => onFold(message)}
          onForward={onForward}
          onPrint={() => onPrint(message)}
        />
      )}
      {message !== null && <Warnings message={message} onReplyTo={onReplyTo} />}
      {message?.subject != null && <strong dir="auto">{message.subject}</strong>}
      <div className={styles.body}>{children}</div>
      {message !== null && <Files key={`files ${message.id}`} attachments={message.attachments} />}
      {message !== null && <DeliveryWord key={`delivery ${message.id}`} message={message} onUndo={onUndo} />}
    </article>
  );
}

type HeadProps = {
  message: Message;
  onFold: () => void;
  onForward: MessageActions['onForward'];
  onPrint: () => void;
};

function Head({ message, onFold, onForward, onPrint }: HeadProps) {
  const { author, createdAt, to, cc, isInternal, direction, isBeingSent, redacted, delivery } = message;
  const { role } = usePlace().workspace;
  const canRedact =
    (role === 'owner' || role === 'admin') && redacted == null && isBeingSent !== true && !isLeaving(delivery);
  const people = [
    // Anybody can write under any name, so the address follows.
    direction === 'inbound' && author.name !== null ? author.email : null,
    to.length > 0 ? words('message.to', { people: to.join(', ') }) : null,
    cc.length > 0 ? words('message.cc', { people: cc.join(', ') }) : null,
  ].filter((part) => part !== null);
  return (
    <header className={styles.head}>
      <h2 dir="auto">{personOf(message)}</h2>
      {isInternal && <span className={styles.mark}>{words('message.note')}</span>}
      {people.length > 0 && (
        <span className={styles.to} title={people.join(' · ')}>
          {people.join(' · ')}
        </span>
      )}
      <span className={styles.tools}>
        {direction === 'inbound' && redacted == null && <Original message={message} />}
        {!isInternal && redacted == null && isBeingSent !== true && onForward !== undefined && (
          <Button look="quiet" {...commandProps('forward')} className={styles.tool} onClick={() => onForward(message)}>
            {words('message.forward')}
          </Button>
        )}
        <Button look="quiet" className={styles.tool} onClick={onPrint}>
          {words('message.print')}
        </Button>
        {canRedact && (
          <Button look="quiet" className={styles.tool} onClick={() => openOverlay({ kind: 'redact', message })}>
            {words('message.redact')}
          </Button>
        )}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>
        <Button look="quiet" className={styles.tool} aria-label={words('message.close')} onClick={onFold}>
          <span aria-hidden="true">⌃</span>
        </Button>
      </span>
    </header>
  );
}

function isLeaving(delivery: Message['delivery']): boolean {
  return delivery?.status === 'queued' || delivery?.status === 'sending';
}
