import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { DayBar } from './DayBar.tsx';
import styles from './hours.module.css';
import { SpanFields } from './SpanFields.tsx';
import { dayName, type Span, weekdays } from './week.ts';

type Week = readonly (readonly Span[])[];
type Props = { week: Week; onChange: (week: Week) => void };

/** The hours of each weekday: a bar to draw on, and the times beside it. */
export function WeekGrid({ week, onChange }: Props) {
  const set = (day: number, spans: readonly Span[]) => onChange(week.with(day - 1, spans));
  const monday = week[0] ?? [];
  const isSame = weekdays.slice(0, 5).every((day) => JSON.stringify(week[day - 1]) === JSON.stringify(monday));
  return (
    <Section title={words('hours.week')} hint={words('hours.weekHint')}>
      <div className={styles.week}>
        {weekdays.map((day) => (
          <div key={day} className={styles.day} role="group" aria-label={dayName(day)}>
            <b>{dayName(day)}</b>
            <DayBar spans={week[day - 1] ?? []} onChange={(spans) => set(day, spans)} />
            <SpanFields day={dayName(day)} spans={week[day - 1] ?? []} onChange={(spans) => set(day, spans)} />
          </div>
        ))}
      </div>
      {!isSame && (
        <Button onClick={() => onChange(week.map((spans, index) => (index < 5 ? monday : spans)))}>
          {words('hours.likeMonday', { first: dayName(2, 'short'), last: dayName(5, 'short') })}
        </Button>
      )}
    </Section>
  );
}
