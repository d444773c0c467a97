import { IconButton } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './hours.module.css';
import { faultOf, nextSpan, type Span, spanWords } from './week.ts';

type Props = {
  /** The day in words. */
  day: string;
  spans: readonly Span[];
  onChange: (spans: Span[]) => void;
};

/** The spans of a day, each with its two times. */
export function SpanFields({ day, spans, onChange }: Props) {
  const fault = faultOf(spans);
  const set = (index: number, changed: Partial<Span>) => {
    onChange(spans.map((span, at) => (at === index ? { ...span, ...changed } : span)));
  };
  return (
    <div className={styles.spans}>
      {spans.length === 0 && <span className={styles.closed}>{words('hours.closed')}</span>}
      {spans.map((span, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place, and its fields keep no state
        <span key={index} className={styles.span}>
          <TimeField
            label={words('hours.opens', { day })}
            isWrong={fault !== undefined}
            value={span.open}
            onChange={(open) => set(index, { open })}
          />
          <span aria-hidden="true">–</span>
          <TimeField
            label={words('hours.closes', { day })}
            isWrong={fault !== undefined}
            // A field of time knows no 24:00.
            value={span.close === '24:00' ? '00:00' : span.close}
            onChange={(close) => set(index, { close: close === '00:00' ? '24:00' : close })}
          />
          <IconButton
            icon="close"
            aria-label={words('hours.removeSpan', { day, span: spanWords(span) })}
            onClick={() => onChange(spans.filter((_, at) => at !== index))}
          />
        </span>
      ))}
      <IconButton
        icon="plus"
        aria-label={words('hours.addSpan', { day })}
        disabled={spans.length >= 12}
        onClick={() => onChange([...spans, nextSpan(spans)])}
      />
      {fault !== undefined && (
        <span role="status" className={styles.fault}>
          {words(`hours.fault.${fault}`)}
        </span>
      )}
    </div>
  );
}

type TimeProps = { label: string; isWrong: boolean; value: string; onChange: (time: string) => void };

function TimeField({ label, isWrong, value, onChange }: TimeProps) {
  return (
    <input
      type="time"
      className="text-field"
      aria-label={label}
      aria-invalid={isWrong}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
