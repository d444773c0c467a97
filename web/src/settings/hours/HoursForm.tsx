import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { type HoursFields, isComplete, readZone, timeZones } from './fields.ts';
import styles from './hours.module.css';
import type { Calendar } from './queries.ts';
import { SpecialDays } from './SpecialDays.tsx';
import { WeekGrid } from './WeekGrid.tsx';

type Props = {
  initial: HoursFields;
  title: string;
  /** Whether it is open now. */
  state?: ReactNode;
  action: string;
  saving: UseMutationResult<Calendar, Error, HoursFields>;
  /** What helps after a refusal. */
  children?: ReactNode;
};

/** Name, time zone, week and special days of a calendar. */
export function HoursForm({ initial, title, state, action, saving, children }: Props) {
  const [fields, setFields] = useState(initial);
  const [zone, setZone] = useState(initial.timeZone);
  const [wrong, setWrong] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const change = (changed: Partial<HoursFields>) => setFields({ ...fields, ...changed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const timeZone = readZone(zone);
    const [found, at] =
      fields.name.trim() === ''
        ? (['hours.noName', '[name=name]'] as const)
        : timeZone === undefined
          ? (['hours.noZone', '[name=timeZone]'] as const)
          : isComplete(fields)
            ? []
            : (['hours.wrongTimes', '[aria-invalid=true]'] as const);
    setWrong(found && words(found));
    if (timeZone !== undefined && found === undefined) saving.mutate({ ...fields, timeZone });
    else if (at !== undefined) form.current?.querySelector<HTMLElement>(at)?.focus();
  };
  return (
    <form ref={form} noValidate className={styles.form} onSubmit={submit}>
      <Section title={title}>
        {state}
        <div className={styles.names}>
          <Field
            label={words('hours.name')}
            name="name"
            maxLength={100}
            autoComplete="off"
            autoFocus
            value={fields.name}
            onChange={({ target }) => change({ name: target.value })}
          />
          <ZoneField value={zone} onChange={setZone} />
        </div>
      </Section>
      <WeekGrid week={fields.week} onChange={(week) => change({ week })} />
      <SpecialDays days={fields.days} onChange={(days) => change({ days })} />
      <div className={styles.end}>
        {wrong !== undefined && <p role="alert">{wrong}</p>}
        {wrong === undefined && saving.error !== null && <Fault error={saving.error} />}
        {children}
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {action}
        </Button>
      </div>
    </form>
  );
}

/** A field that finds a zone by any part of its name. */
function ZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const id = useId();
  return (
    <>
      <Field
        label={words('hours.timeZone')}
        help={words('hours.timeZoneHint')}
        name="timeZone"
        list={id}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={readZone(value) === undefined}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {timeZones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
