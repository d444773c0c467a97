import { useState } from 'react';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { type DayFields, dayFields } from './fields.ts';
import { HolidayDialog } from './HolidayDialog.tsx';
import styles from './hours.module.css';
import { SpanFields } from './SpanFields.tsx';
import { nextSpan } from './week.ts';

type Props = { days: readonly DayFields[]; onChange: (days: readonly DayFields[]) => void };

/** Dates with hours of their own, or on which nobody is there. */
export function SpecialDays({ days, onChange }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const set = (key: number, changed: Partial<DayFields>) =>
    onChange(days.map((day) => (day.key === key ? { ...day, ...changed } : day)));
  const isTwice = ({ key, date }: DayFields) => days.some((other) => other.key !== key && other.date === date);
  return (
    <Section title={words('hours.days')} hint={words('hours.daysHint')} count={days.length || undefined}>
      {days.length > 0 && (
        <ul aria-label={words('hours.days')} className={styles.days}>
          {days.map((day) => (
            <DayLine
              key={day.key}
              day={day}
              isTwice={isTwice(day)}
              onChange={(changed) => set(day.key, changed)}
              onRemove={() => onChange(days.filter(({ key }) => key !== day.key))}
            />
          ))}
        </ul>
      )}
      <div className={styles.tools}>
        <Button onClick={() => onChange([...days, dayFields({ date: '', name: '', hours: null })])}>
          <Icon name="plus" />
          {words('hours.addDay')}
        </Button>
        <Button onClick={() => setIsAsking(true)}>
          <Icon name="calendar" />
          {words('hours.holidays')}
        </Button>
      </div>
      {isAsking && (
        <HolidayDialog
          known={new Set(days.map(({ date }) => date))}
          onAdd={(added) => {
            const all = [...days, ...added.map((day) => dayFields({ ...day, hours: null }))];
            onChange(all.sort((one, other) => (one.date < other.date ? -1 : 1)));
            setIsAsking(false);
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Section>
  );
}

type LineProps = {
  day: DayFields;
  isTwice: boolean;
  onChange: (changed: Partial<DayFields>) => void;
  onRemove: () => void;
};

function DayLine({ day: { date, name, hours }, isTwice, onChange, onRemove }: LineProps) {
  const called = name || date || words('hours.newDay');
  return (
    <li>
      <div className={styles.dated}>
        <input
          type="date"
          className="text-field"
          aria-label={words('hours.date')}
          aria-invalid={date === '' || isTwice}
          min="1900-01-01"
          max="2199-12-31"
          value={date}
          onChange={({ target }) => onChange({ date: target.value })}
        />
        <input
          className="text-field"
          dir="auto"
          aria-label={words('hours.dayName')}
          placeholder={words('hours.dayName')}
          maxLength={100}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Choice
          aria-label={words('hours.dayHours', { day: called })}
          value={hours === null ? 'closed' : 'open'}
          options={[
            ['closed', words('hours.closed')],
            ['open', words('hours.ownHours')],
          ]}
          onChoose={(chosen) => onChange({ hours: chosen === 'closed' ? null : [nextSpan([])] })}
        />
        <IconButton icon="trash" aria-label={words('hours.removeDay', { day: called })} onClick={onRemove} />
      </div>
      {hours !== null && <SpanFields day={called} spans={hours} onChange={(spans) => onChange({ hours: spans })} />}
      {isTwice && (
        <span role="status" className={styles.fault}>
          {words('hours.twice')}
        </span>
      )}
    </li>
  );
}
