import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { Select } from '../../ui/Select.tsx';
import { words } from '../../words/words.ts';
import type { NewSurvey } from './queries.ts';
import styles from './surveys.module.css';

type Fields = Required<Omit<NewSurvey, 'isActive'>>;

export const noSurvey: Fields = {
  mailboxId: null,
  ask: 'in_answer',
  scale: 'two',
  question: null,
  language: document.documentElement.lang === 'de' ? 'de' : 'en',
  delayMinutes: 60,
  everyDays: 14,
};

const questionMax = 200;
const hoursMax = 168;
const daysMax = 365;

type Props = { before: Fields; action: string; onSubmit: (fields: Fields) => Promise<unknown> };

/** What a survey asks, of which customers, and when. */
export function SurveyForm({ before, action, onSubmit }: Props) {
  const { mailboxId, ask, scale, question, language, delayMinutes, everyDays } = before;
  const [fields, setFields] = useState<Fields>({ mailboxId, ask, scale, question, language, delayMinutes, everyDays });
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  return (
    <SessionForm action={action} onSubmit={() => onSubmit(fields)}>
      <Choices
        name="ask"
        label={words('surveys.ask')}
        options={(['in_answer', 'after_close'] as const).map((one) => [one, words(`surveys.ask.${one}`)] as const)}
        value={fields.ask}
        onChoose={(chosen) => change({ ask: chosen })}
      />
      <MailboxChoice value={fields.mailboxId} onChange={(chosen) => change({ mailboxId: chosen })} />
      <Chosen label={words('surveys.scale')}>
        <Select
          label={words('surveys.scale')}
          value={fields.scale}
          options={(['two', 'three', 'five'] as const).map((value) => ({
            value,
            text: words(`surveys.scale.${value}`),
          }))}
          onChange={(chosen) => change({ scale: chosen })}
        />
      </Chosen>
      <Chosen label={words('surveys.language')}>
        <Select
          label={words('surveys.language')}
          value={fields.language}
          options={(['en', 'de'] as const).map((value) => ({ value, text: words(`surveys.language.${value}`) }))}
          onChange={(chosen) => change({ language: chosen })}
        />
      </Chosen>
      <Field
        label={words('surveys.question')}
        help={words('surveys.questionHint')}
        name="question"
        maxLength={questionMax}
        autoComplete="off"
        value={fields.question ?? ''}
        onChange={({ target }) => change({ question: target.value.trim() === '' ? null : target.value })}
      />
      {fields.ask === 'after_close' && (
        <NumberField
          label={words('surveys.delay')}
          max={hoursMax}
          value={Math.round(fields.delayMinutes / 60)}
          onChange={(hours) => change({ delayMinutes: hours * 60 })}
        />
      )}
      <NumberField
        label={words('surveys.everyDays')}
        max={daysMax}
        value={fields.everyDays}
        onChange={(days) => change({ everyDays: days })}
      />
    </SessionForm>
  );
}

function NumberField(props: { label: string; max: number; value: number; onChange: (value: number) => void }) {
  const { label, max, value, onChange } = props;
  return (
    <Field
      label={label}
      type="number"
      required
      min={0}
      max={max}
      value={String(value)}
      onChange={({ target }) => onChange(Math.trunc(target.valueAsNumber || 0))}
    />
  );
}

function MailboxChoice({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const options = mailboxes.map(({ id, address }) => ({ value: id, text: address }));
  return (
    <Chosen label={words('surveys.mailbox')}>
      <Select
        label={words('surveys.mailbox')}
        value={value ?? ''}
        options={[{ value: '', text: words('surveys.allMailboxes') }, ...options]}
        onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
      />
    </Chosen>
  );
}

/** A choice below its name. */
function Chosen({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.chosen}>
      <p aria-hidden>{label}</p>
      {children}
    </div>
  );
}
