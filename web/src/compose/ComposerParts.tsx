import { commandProps } from '../commands.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { DraftStatus } from './draft/DraftStatus.tsx';
import { isNothing, type Quote } from './draft/draft-content.ts';
import type { Composing } from './use-composer.ts';

/** Shows whether the text is an answer or a note, with buttons to switch. */
export function ComposerHead({ composing }: { composing: Composing }) {
  const { isNote, onMode, content, hasRecipient, switchMode } = composing;
  return (
    <>
      <div className={styles.modes} role="group" aria-label={words('compose.kind')}>
        <Button look="quiet" {...commandProps('answer')} aria-pressed={!isNote} onClick={() => onMode('answer')}>
          {words('compose.answer')}
        </Button>
        <Button look="quiet" {...commandProps('note')} aria-pressed={isNote} onClick={() => onMode('note')}>
          {words('compose.note')}
        </Button>
        {!isNothing(content) && (
          <Button look="quiet" {...commandProps('switchMode')} className={styles.switch} onClick={switchMode}>
            {words(isNote ? 'compose.toAnswer' : 'compose.toNote')}
          </Button>
        )}
        {isNote && <span className={styles.internal}>{words('compose.internal')}</span>}
      </div>
      {!hasRecipient && !content.areRecipientsChosen && <p>{words('compose.noRecipient')}</p>}
    </>
  );
}

/** ⌘⏎ does the same as the first button. */
export function SendButtons({ composing }: { composing: Composing }) {
  const { isNote, canSend, submit } = composing;
  return (
    <div className={styles.actions}>
      <Button {...commandProps('send')} look="primary" disabled={!canSend} onClick={() => submit()}>
        {words(isNote ? 'compose.addNote' : 'compose.send')}
      </Button>
      {!isNote && (
        <>
          <Button
            {...commandProps('sendAndClose')}
            disabled={!canSend}
            onClick={() => submit({ thenStatus: 'closed' })}
          >
            {words('compose.sendAndClose')}
          </Button>
          <Button {...commandProps('sendAndSnooze')} disabled={!canSend} onClick={composing.submitAndSnooze}>
            {words('compose.sendAndSnooze')}
          </Button>
          {composing.content.forwardOf === null && (
            <QuoteChoice quote={composing.content.quote} onChange={(quote) => composing.keeper.change({ quote })} />
          )}
        </>
      )}
      <DraftStatus draft={composing.draft} />
    </div>
  );
}

const quotes = ['none', 'last', 'thread'] as const satisfies readonly Quote[];

/** Chooses which mails of the ticket are quoted below the answer. */
function QuoteChoice({ quote, onChange }: { quote: Quote; onChange: (quote: Quote) => void }) {
  return (
    <select
      className={styles.quote}
      aria-label={words('quote.label')}
      value={quote}
      onChange={({ target }) => onChange(quotes.find((one) => one === target.value) ?? 'none')}
    >
      {quotes.map((one) => (
        <option key={one} value={one}>
          {words(`quote.${one}`)}
        </option>
      ))}
    </select>
  );
}
