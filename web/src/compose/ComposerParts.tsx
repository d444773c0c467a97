import { commandProps } from '../commands.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { DraftStatus } from './DraftStatus.tsx';
import { isNothing, type Quote } from './draft-content.ts';
import { colleagueAmong } from './recipients-of.ts';
import type { Composing } from './use-composer.ts';

/** Answer or note: which one it is, and the way over. */
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
      {!hasRecipient && <p>{words('compose.noRecipient')}</p>}
    </>
  );
}

type Member = { email: string; name: string | null };

/** Colleagues are told by notes, not by answers that a customer reads along. */
export function ColleagueHint({ composing, members }: { composing: Composing; members: readonly Member[] }) {
  const colleague = colleagueAmong(composing.recipients, members);
  if (colleague === undefined) return null;
  return (
    <p className={styles.hint} role="status">
      {words('compose.colleague', { name: colleague.name ?? colleague.email })}
      <Button onClick={composing.switchMode}>{words('compose.noteInstead')}</Button>
    </p>
  );
}

/** The button says who gets it; ⌘⏎ does what the button says. */
export function SendButtons({ composing }: { composing: Composing }) {
  const { isNote, canSend, submit, draft, recipients, ticket } = composing;
  const person = ticket.requester?.name ?? ticket.requester?.email;
  const [first] = recipients.to;
  const isToRequester = first === undefined || first === ticket.requester?.email;
  return (
    <div className={styles.actions}>
      <Button {...commandProps('send')} look="primary" disabled={!canSend} onClick={() => submit()}>
        {isNote
          ? words('compose.addNote')
          : words('compose.send', { people: (isToRequester ? person : undefined) ?? first ?? '' })}
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
          <QuoteChoice quote={composing.content.quote} onChange={(quote) => composing.keeper.change({ quote })} />
        </>
      )}
      <DraftStatus draft={draft} />
    </div>
  );
}

const quotes = ['none', 'last', 'thread'] as const satisfies readonly Quote[];

/** What of the ticket is put below the answer. */
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
