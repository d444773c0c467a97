import { type PointerEvent, useState } from 'react';
import styles from './hours.module.css';
import type { Span } from './week.ts';

type Props = { spans: readonly Span[]; onChange: (spans: Span[]) => void };

const dayMinutes = 1_440;
const stepMinutes = 30;

/** A day as a bar, on which the mouse draws a span. The fields beside it say the same to the keyboard. */
export function DayBar({ spans, onChange }: Props) {
  const [drawn, setDrawn] = useState<{ from: number; to: number }>();
  const minuteAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number => {
    const { left, width, right } = currentTarget.getBoundingClientRect();
    const share = currentTarget.matches(':dir(rtl)') ? (right - clientX) / width : (clientX - left) / width;
    const minute = Math.round((share * dayMinutes) / stepMinutes) * stepMinutes;
    return Math.min(Math.max(minute, 0), dayMinutes);
  };
  const end = () => {
    setDrawn(undefined);
    if (drawn === undefined || drawn.from === drawn.to) return;
    onChange(joined(spans, { from: Math.min(drawn.from, drawn.to), to: Math.max(drawn.from, drawn.to) }));
  };
  const shown = [...spans.map(minutesOf), ...(drawn === undefined ? [] : [drawn])];
  return (
    <div
      className={styles.bar}
      aria-hidden="true"
      onPointerDown={(event) => {
        // A finger scrolls the page.
        if (event.pointerType !== 'mouse' || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = minuteAt(event);
        setDrawn({ from: at, to: at });
      }}
      onPointerMove={(event) => drawn !== undefined && setDrawn({ ...drawn, to: minuteAt(event) })}
      onPointerUp={end}
      onPointerCancel={() => setDrawn(undefined)}
    >
      {shown.map(({ from, to }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a part of a picture, without state
          key={index}
          style={{
            insetInlineStart: `${(100 * Math.min(from, to)) / dayMinutes}%`,
            inlineSize: `${(100 * Math.abs(to - from)) / dayMinutes}%`,
          }}
        />
      ))}
    </div>
  );
}

type Minutes = { from: number; to: number };

const minutesOf = ({ open, close }: Span): Minutes => ({ from: minuteOf(open), to: minuteOf(close) });
const minuteOf = (time: string): number => (time === '' ? 0 : Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));

/** The spans with a further one, which swallows those that it touches. */
function joined(spans: readonly Span[], drawn: Minutes): Span[] {
  let { from, to } = drawn;
  const apart: Span[] = [];
  for (const span of spans) {
    const other = minutesOf(span);
    if (other.to < from || other.from > to) apart.push(span);
    else [from, to] = [Math.min(from, other.from), Math.max(to, other.to)];
  }
  const text = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  return [...apart, { open: text(from), close: text(to) }].sort((one, other) => (one.open < other.open ? -1 : 1));
}
