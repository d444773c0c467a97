import { useId, useState } from 'react';
import { fullTime } from '../lib/dates.ts';
import { personOf } from '../tickets/persons.ts';
import { DotsButton } from '../ui/Button.tsx';
import { Select } from '../ui/Select.tsx';
import { words } from '../words/words.ts';
import styles from './Below.module.css';
import type { Quote } from './draft/draft-content.ts';
import { quotedIn } from './quoted.ts';
import { SignaturePreview } from './SignaturePreview.tsx';
import type { Composing } from './use-composer.ts';

const quotes = ['none', 'last', 'thread'] as const satisfies readonly Quote[];

/** What the service puts below an answer: the signature, and the mails that it quotes. Folded until asked for. */
export function Below({ composing }: { composing: Composing }) {
  const { content, keeper, ticket, recipients } = composing;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const label = words(isOpen ? 'compose.hideBelow' : 'compose.showBelow');
  return (
    <div className={styles.below}>
      <DotsButton label={label} aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)} />
      <div id={id} hidden={!isOpen}>
        {isOpen && <SignaturePreview mailboxId={ticket.mailboxId} />}
        {isOpen && content.forwardOf === null && (
          <Select
            isQuiet
            label={words('quote.label')}
            value={content.quote}
            options={quotes.map((value) => ({ value, text: words(`quote.${value}`) }))}
            onChange={(quote) => keeper.change({ quote })}
          />
        )}
        {isOpen &&
          quotedIn(ticket, content, recipients).map((message) => (
            <blockquote key={message.id} className={styles.quoted}>
              <p className={styles.wrote}>
                {personOf(message)} · {fullTime(message.createdAt)}
              </p>
              <p dir="auto">{(message.replyText ?? message.body).trim()}</p>
            </blockquote>
          ))}
      </div>
    </div>
  );
}
