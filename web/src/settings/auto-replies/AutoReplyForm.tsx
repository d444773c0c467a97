import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { savedRepliesQuery, savedReplyQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { Select } from '../../ui/Select.tsx';
import { words } from '../../words/words.ts';
import styles from './auto-replies.module.css';
import type { AutoReplyFields, When } from './fields.ts';
import { hoursQuery } from './queries.ts';

const nameMax = 100;

type Props = { before: AutoReplyFields; action: string; onSubmit: (fields: AutoReplyFields) => Promise<unknown> };

/** What an automatic reply says, of which mailbox, and when. */
export function AutoReplyForm({ before, action, onSubmit }: Props) {
  const [fields, setFields] = useState(before);
  const [missing, setMissing] = useState<string>();
  const change = (changed: Partial<AutoReplyFields>) => setFields({ ...fields, ...changed });
  const { when, from } = fields;
  const whens: [When, string][] = [
    ['received', words('autoReplies.received')],
    ['hours', words('autoReplies.hours')],
    ['dates', words('autoReplies.dates')],
  ];
  const needsDates = when === 'dates';
  const submit = async () => {
    const found = missingIn(fields);
    setMissing(found);
    if (found === undefined) await onSubmit(fields);
  };
  return (
    <SessionForm action={action} onSubmit={submit}>
      <Field
        label={words('autoReplies.name')}
        name="name"
        required
        maxLength={nameMax}
        autoComplete="off"
        value={fields.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <MailboxChoice value={fields.mailboxId} onChange={(mailboxId) => change({ mailboxId })} />
      <Choices
        name="when"
        label={words('autoReplies.when')}
        options={whens}
        value={when}
        onChoose={(chosen) => change({ when: chosen })}
      />
      {when === 'hours' && <HoursChoice value={fields.calendarId} onChange={(calendarId) => change({ calendarId })} />}
      <div className={styles.days}>
        <Field
          label={words(needsDates ? 'autoReplies.from' : 'autoReplies.fromMaybe')}
          type="date"
          required={needsDates}
          value={from}
          onChange={({ target }) => change({ from: target.value })}
        />
        <Field
          label={words(needsDates ? 'autoReplies.until' : 'autoReplies.untilMaybe')}
          type="date"
          required={needsDates}
          min={from === '' ? undefined : from}
          value={fields.until}
          onChange={({ target }) => change({ until: target.value })}
        />
      </div>
      <ReplyChoice value={fields.savedReplyId} onChange={(savedReplyId) => change({ savedReplyId })} />
      {missing !== undefined && <p role="alert">{missing}</p>}
    </SessionForm>
  );
}

/** The menus are no fields of a form, so the form does not ask for them. */
function missingIn({ when, calendarId, savedReplyId }: AutoReplyFields): string | undefined {
  if (when === 'hours' && calendarId === '') return words('autoReplies.needsHours');
  return savedReplyId === '' ? words('autoReplies.needsReply') : undefined;
}

type ChoiceProps = { value: string; onChange: (value: string) => void };

function MailboxChoice({ value, onChange }: ChoiceProps) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const options = mailboxes.map(({ id, address }) => ({ value: id, text: address }));
  return (
    <Chosen label={words('autoReplies.mailbox')}>
      <Select
        label={words('autoReplies.mailbox')}
        value={value}
        options={[{ value: '', text: words('autoReplies.allMailboxes') }, ...options]}
        onChange={onChange}
      />
    </Chosen>
  );
}

function HoursChoice({ value, onChange }: ChoiceProps) {
  const { workspace } = usePlace();
  const calendars = useQuery(hoursQuery(workspace.id)).data ?? [];
  return (
    <Chosen label={words('autoReplies.calendar')}>
      <Select
        label={words('autoReplies.calendar')}
        value={value}
        options={[
          { value: '', text: words('autoReplies.choose'), isDisabled: true },
          ...calendars.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onChange={onChange}
      />
      <Link href={paths.settings('hours')}>{words('autoReplies.editHours')}</Link>
    </Chosen>
  );
}

/** The replies that all members share: a machine uses nobody's own. */
function ReplyChoice({ value, onChange }: ChoiceProps) {
  const { workspace } = usePlace();
  const listed = useQuery(savedRepliesQuery(workspace.id, '', 'name')).data ?? [];
  const shared = listed.filter(({ isShared }) => isShared);
  const isBeyond = value !== '' && !shared.some(({ id }) => id === value);
  const chosen = useQuery({ ...savedReplyQuery(workspace.id, value), enabled: isBeyond }).data;
  return (
    <Chosen label={words('autoReplies.reply')}>
      <Select
        label={words('autoReplies.reply')}
        value={value}
        options={[
          { value: '', text: words('autoReplies.choose'), isDisabled: true },
          ...(isBeyond && chosen !== undefined ? [{ value, text: chosen.name }] : []),
          ...shared.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onChange={onChange}
      />
      <Link
        href={value === '' ? `${paths.settings('replies')}?reply=new` : `${paths.settings('replies')}?reply=${value}`}
      >
        {words(value === '' ? 'autoReplies.writeReply' : 'autoReplies.editReply')}
      </Link>
    </Chosen>
  );
}

/** A choice below its name, and beside it where its things are made. */
function Chosen({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.chosen}>
      <p aria-hidden>{label}</p>
      <div>{children}</div>
    </div>
  );
}
