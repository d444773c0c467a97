import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { linkify } from '../../lib/linkify.ts';
import { textsAndNames } from '../../lib/mentions.ts';
import styles from './MessageText.module.css';
import { QuoteButton } from './QuoteButton.tsx';

/** The plain text of a message, with the quoted part folded. */
export function MessageText({ message: { author, body, replyText } }: { message: Message }) {
  const [isWhole, setIsWhole] = useState(false);
  const isFolded = replyText !== null && !isWhole;
  return (
    <>
      <p className={styles.text} dir="auto">
        {partsOf(isFolded ? replyText : body, author)}
      </p>
      {replyText !== null && <QuoteButton isShown={isWhole} onToggle={() => setIsWhole(!isWhole)} />}
    </>
  );
}

/** Turns web addresses into links, and mentions into names. */
function partsOf(text: string, author: Message['author']) {
  return linkify(text).map(({ text: part, href }, index) =>
    href === null ? (
      withMentions(part, author)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ),
  );
}

function withMentions(text: string, author: Message['author']) {
  return textsAndNames(text, author).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <span key={index} className={styles.mention}>
        @{part}
      </span>
    ),
  );
}
