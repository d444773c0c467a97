import { type ReactNode, useState } from 'react';
import type { Message } from '../../api/client.ts';
import { hasColours, withPictures } from '../../tickets/mail-html.ts';
import { personOf } from '../../tickets/persons.ts';
import { later } from '../../ui/later.tsx';
import { words } from '../../words/words.ts';
import { type RequesterChoice, Warnings } from '../Warnings.tsx';
import { AuthorFace } from './AuthorFace.tsx';
import { DeliveryWord } from './Delivery.tsx';
import { Files } from './Files.tsx';
import { MailFrame } from './MailFrame.tsx';
import styles from './MessageCard.module.css';
import { MessageHead } from './MessageHead.tsx';
import { MessageText } from './MessageText.tsx';
import { MessageTools } from './MessageTools.tsx';
import { QuoteButton } from './QuoteButton.tsx';

const RemotePicturesBar = later(() => import('./RemotePicturesBar.tsx'), 'RemotePicturesBar');

const Redacted = later(() => import('./Redacted.tsx'), 'Redacted');

export type MessageActions = {
  /** The number of the ticket, whose messages can be split. Undefined where nothing can be changed. */
  splitNumber: number | undefined;
  onFold: (message: Message) => void;
  onUndo?: ((message: Message) => void) | undefined;
  onForward?: ((message: Message) => void) | undefined;
  onPrint: (message: Message) => void;
  onReplyTo?: ((addresses: string[]) => void) | undefined;
  requester?: RequesterChoice | undefined;
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
    <CardFrame message={message} isWide={html !== null && hasColours(html)} {...actions}>
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

type FrameProps = MessageActions & {
  message: Message | null;
  /** A mail with a design of its own has the whole width of the card. */
  isWide?: boolean;
  children: ReactNode;
};

function CardFrame({ message, splitNumber, isWide, children, ...actions }: FrameProps) {
  const { onFold, onUndo, onForward, onPrint, onReplyTo, requester } = actions;
  const person = message === null ? '' : personOf(message);
  return (
    <article
      className={styles.message}
      hidden={message === null}
      id={message === null ? undefined : `message-${message.id}`}
      data-message={message?.id}
      data-direction={message?.direction}
      data-wide={isWide || undefined}
      data-scheduled={message?.delivery?.status === 'scheduled' || undefined}
      tabIndex={-1}
      aria-label={words('message.frame', { person })}
    >
      {message !== null && <AuthorFace key={`face ${message.id}`} message={message} size={32} />}
      {message !== null && <MessageHead key={`head ${message.id}`} message={message} />}
      {message !== null && (
        <MessageTools key={`tools ${message.id}`} {...{ message, splitNumber, onForward, onPrint, onFold }} />
      )}
      {message !== null && <Warnings {...{ message, onReplyTo, requester }} />}
      {message?.subject != null && (
        <strong className={styles.subject} dir="auto">
          {message.subject}
        </strong>
      )}
      <div className={styles.body}>{children}</div>
      {message !== null && <Files key={`files ${message.id}`} attachments={message.attachments} />}
      {message !== null && <DeliveryWord key={`delivery ${message.id}`} message={message} onUndo={onUndo} />}
    </article>
  );
}
