import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { linkify } from '../../lib/linkify.ts';
import { textsAndMentions } from '../../lib/mentions.ts';
import { usePlace } from '../../session/Guard.tsx';
import styles from './MessageText.module.css';
import { QuoteButton } from './QuoteButton.tsx';

/** The plain text of a message, with the quoted part folded. */
export function MessageText({ message: { author, body, replyText } }: { message: Message }) {
  const { userId } = usePlace();
  const [isWhole, setIsWhole] = useState(false);
  const isFolded = replyText !== null && !isWhole;
  return (
    <>
      <p className={styles.text} dir="auto">
        {partsOf(isFolded ? replyText : body, author, userId)}
      </p>
      {replyText !== null && <QuoteButton isShown={isWhole} onToggle={() => setIsWhole(!isWhole)} />}
    </>
  );
}

/** Turns web addresses into links, and mentions into names. */
function partsOf(text: string, author: Message['author'], myId: string) {
  return linkify(text).map(({ text: part, href }, index) =>
    href === null ? (
      withMentions(part, author, myId)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ),
  );
}

function withMentions(text: string, author: Message['author'], myId: string) {
  return textsAndMentions(text, author).map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <span key={index} className={styles.mention} data-me={part.id === myId || undefined}>
        @{part.name}
      </span>
    ),
  );
}
