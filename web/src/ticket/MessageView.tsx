import { useState } from 'react';
import type { Message } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { linkify } from '../lib/linkify.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { MailFrame } from './MailFrame.tsx';
import styles from './MessageView.module.css';

/** One message: who and when, warnings, its text, its files, and how its delivery went. */
export function MessageView({ message }: { message: Message }) {
  const { author, createdAt, direction, to, isInternal, delivery } = message;
  const person = author.name ?? author.email ?? words('app');
  return (
    <article className={styles.message} data-direction={direction} aria-label={words('message.frame', { person })}>
      <header className={styles.head}>
        <h2>{person}</h2>
        {isInternal && <span className={styles.mark}>{words('message.note')}</span>}
        {to.length > 0 && <span className={styles.to}>{words('message.to', { people: to.join(', ') })}</span>}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>
      </header>
      <Warnings message={message} />
      <Text message={message} person={person} />
      <Files message={message} />
      {delivery !== null && (
        <p className={styles.delivery} data-status={delivery.status}>
          {words(`delivery.${delivery.status}`)}
          {delivery.error !== null && `: ${delivery.error}`}
        </p>
      )}
    </article>
  );
}

function Warnings({ message }: { message: Message }) {
  const { authentication, isSenderKnown, replyTo } = message;
  const sentences = [
    authentication?.verdict === 'fail' ? words('message.unverified') : null,
    isSenderKnown === false ? words('message.newSender') : null,
    replyTo.length > 0 ? words('message.replyTo', { people: replyTo.join(', ') }) : null,
  ].filter((sentence) => sentence !== null);
  return sentences.map((sentence) => (
    <p key={sentence} className={styles.warning}>
      {sentence}
    </p>
  ));
}

/** HTML of strangers is shown in a frame of its own; text is drawn by the page. */
function Text({ message, person }: { message: Message; person: string }) {
  const { body, bodyHtml, replyText } = message;
  const [isWhole, setIsWhole] = useState(false);
  if (bodyHtml !== null) return <MailFrame message={message} title={words('message.frame', { person })} />;
  const isFolded = replyText !== null && !isWhole;
  return (
    <>
      <p className={styles.text}>
        {linkify(isFolded ? replyText : body).map(({ text, href }, index) =>
          href === null ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
            <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
              {text}
            </a>
          ),
        )}
      </p>
      {isFolded && (
        <Button
          look="quiet"
          className={styles.unfold}
          aria-label={words('message.quoted')}
          onClick={() => setIsWhole(true)}
        >
          •••
        </Button>
      )}
    </>
  );
}

function Files({ message: { attachments } }: { message: Message }) {
  const listed = attachments.filter(({ isInline }) => !isInline);
  if (listed.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={words('message.files')}>
      {listed.map(({ id, fileName, size, url }) => (
        <li key={id}>
          <a href={url} download={fileName}>
            {fileName}
          </a>{' '}
          {sizeOf(size)}
        </li>
      ))}
    </ul>
  );
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
