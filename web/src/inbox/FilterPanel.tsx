import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { usePlace } from '../session/Guard.tsx';
import type { ListParameters } from '../tickets/lists.ts';
import { membersQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { type WordKey, words } from '../words/words.ts';
import styles from './FilterPanel.module.css';

type Props = { list: ListParameters; onChange: (list: ListParameters) => void };
type Options = readonly (readonly [value: string, name: string])[];

const statuses = ['open', 'pending', 'closed'] as const;
const priorities = ['urgent', 'high', 'normal', 'low'] as const;
/** What may have become of a mail so that somebody must look after it. */
const undelivered = ['failed', 'bounced', 'uncertain'];

/** All filters of a list. They are applied together, so that the list is asked for once. */
export function FilterPanel({ list, onChange }: Props) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className={styles.open} popoverTarget={id}>
        {words('filter.open')}
      </Button>
      <div id={id} popover="auto" className={styles.panel} onToggle={({ newState }) => setIsOpen(newState === 'open')}>
        {isOpen && <FilterForm list={list} onChange={onChange} />}
      </div>
    </>
  );
}

function FilterForm({ list, onChange }: Props) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const people: Options = [
    ['me', words('chip.me')],
    ['none', words('ticket.nobody')],
    ...members.map(({ userId, name, email }) => [userId, name ?? email] as const),
  ];
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChange(filtersOf(new FormData(event.currentTarget), list));
  };
  return (
    <form onSubmit={apply} aria-label={words('filter.open')}>
      <fieldset>
        <legend>{words('ticket.status')}</legend>
        {statuses.map((status) => (
          <label key={status}>
            <input type="checkbox" name="status" value={status} defaultChecked={list.status?.includes(status)} />
            {words(`status.${status}`)}
          </label>
        ))}
      </fieldset>
      <Row label="ticket.assignee">
        {(labelledBy) => <Select name="assignee" labelledBy={labelledBy} options={people} value={list.assignee} />}
      </Row>
      <Row label="ticket.priority">
        {(labelledBy) => (
          <Select
            name="priority"
            labelledBy={labelledBy}
            options={priorities.map((name) => [name, words(`priority.${name}`)])}
            value={list.priority}
          />
        )}
      </Row>
      <Row label="ticket.tags">
        {(labelledBy) => (
          <input
            name="tags"
            aria-labelledby={labelledBy}
            defaultValue={list.tags?.join(', ')}
            placeholder={words('filter.tagsHint')}
          />
        )}
      </Row>
      <fieldset>
        <legend className="visually-hidden">{words('filter.others')}</legend>
        <Check name="snoozed" label="chip.snoozed" isChecked={list.snoozed === true} />
        <Check name="undelivered" label="filter.undelivered" isChecked={list.delivery !== undefined} />
        <Check name="archived" label="chip.archived" isChecked={list.archived === 'true'} />
      </fieldset>
      <Button type="submit" look="primary">
        {words('filter.apply')}
      </Button>
    </form>
  );
}

function filtersOf(form: FormData, list: ListParameters): ListParameters {
  const tags = String(form.get('tags'))
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const { search, sort, order, contact } = list;
  const kept = { search, sort, order, contact } satisfies Record<string, string | undefined>;
  const chosen: Record<keyof ListParameters, unknown> = {
    ...kept,
    status: form.getAll('status'),
    assignee: form.get('assignee'),
    priority: form.get('priority'),
    tags,
    snoozed: form.has('snoozed'),
    delivery: form.has('undelivered') ? (list.delivery ?? undelivered) : [],
    archived: form.has('archived') ? 'true' : '',
  };
  const given = Object.entries(chosen).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value));
  return Object.fromEntries(given) as ListParameters; // empty ones are left out above
}

function Row({ label, children }: { label: WordKey; children: (labelledBy: string) => ReactNode }) {
  const id = useId();
  return (
    <div className={styles.row}>
      <span id={id}>{words(label)}</span>
      {children(id)}
    </div>
  );
}

type SelectProps = { name: string; labelledBy: string; options: Options; value: string | undefined };

function Select({ name, labelledBy, options, value }: SelectProps) {
  return (
    <select name={name} aria-labelledby={labelledBy} defaultValue={value ?? ''}>
      <option value="">{words('filter.any')}</option>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

function Check({ name, label, isChecked }: { name: string; label: WordKey; isChecked: boolean }) {
  return (
    <label>
      <input type="checkbox" name={name} defaultChecked={isChecked} />
      {words(label)}
    </label>
  );
}
