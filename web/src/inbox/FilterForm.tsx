import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import { usePlace } from '../session/Guard.tsx';
import { ownFlags } from '../tickets/filters.ts';
import type { ListParameters } from '../tickets/lists.ts';
import { mailboxesQuery, membersQuery, teamsQuery } from '../tickets/queries.ts';
import { undelivered } from '../tickets/query/query-words.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Choice } from '../ui/Choice.tsx';
import { type WordKey, words } from '../words/words.ts';
import { withoutFilters } from './chips.ts';
import styles from './FilterForm.module.css';

type Props = { list: ListParameters; onChange: (list: ListParameters) => void; onClose: () => void };
type Options = readonly (readonly [value: string, name: string])[];

const statuses = ['open', 'pending', 'closed'] as const;
const priorities = ['urgent', 'high', 'normal', 'low'] as const;

/** All filters of a list. The form applies them together, so that they cost one request. */
export function FilterForm({ list, onChange, onClose }: Props) {
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
    <form className={styles.form} onSubmit={apply} aria-label={words('filter.open')}>
      <div className={styles.head}>
        {words('filter.open')}
        <IconButton icon="close" aria-label={words('filter.close')} onClick={onClose} />
      </div>
      <StatusRow list={list} />
      <Row label="ticket.assignee">
        {(labelledBy) => (
          <Select name="assignee" labelledBy={labelledBy} options={people} value={list.assignee?.join()} />
        )}
      </Row>
      <PlaceRows list={list} />
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
            className="text-field"
            aria-labelledby={labelledBy}
            defaultValue={list.tags?.join(', ')}
            placeholder={words('filter.tagsHint')}
          />
        )}
      </Row>
      <Flags list={list} />
      <div className={styles.foot}>
        <Button look="quiet" onClick={() => onChange(withoutFilters(list))}>
          {words('list.clear')}
        </Button>
        <Button type="submit" look="primary">
          {words('filter.apply')}
        </Button>
      </div>
    </form>
  );
}

/** Teams and mailboxes, where there are some. */
function PlaceRows({ list }: Pick<Props, 'list'>) {
  const { workspace } = usePlace();
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const ofTeams: Options = [
    ['mine', words('chip.ownTeams')],
    ['none', words('ticket.noTeam')],
    ...teams.map(({ id, name }) => [id, name] as const),
  ];
  const ofMailboxes: Options = mailboxes.map(({ id, address }) => [id, address]);
  const row = (name: 'team' | 'mailbox', label: WordKey, options: Options) => (
    <Row label={label}>
      {(labelledBy) => <Select name={name} labelledBy={labelledBy} options={options} value={list[name]?.join()} />}
    </Row>
  );
  return (
    <>
      {teams.length > 0 && row('team', 'ticket.team', ofTeams)}
      {mailboxes.length > 0 && row('mailbox', 'filter.mailbox', ofMailboxes)}
    </>
  );
}

function filtersOf(form: FormData, list: ListParameters): ListParameters {
  const several = (name: string) =>
    String(form.get(name) ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean);
  // The form has no box for `false`, such as "not unread". An unchecked box leaves such a filter in place.
  const flag = (name: (typeof ownFlags)[number]) => form.has(name) || (list[name] === false ? false : undefined);
  const chosen: { [Name in keyof ListParameters]?: unknown } = {
    // What the form has no field for stays.
    ...list,
    ...Object.fromEntries(ownFlags.map((name) => [name, flag(name)])),
    status: form.getAll('status'),
    assignee: several('assignee'),
    // Without mailboxes or teams the form has no such field, and the list keeps its filter.
    mailbox: form.has('mailbox') ? several('mailbox') : (list.mailbox ?? []),
    team: form.has('team') ? several('team') : (list.team ?? []),
    priority: form.get('priority'),
    tags: several('tags'),
    snoozed: form.has('snoozed') || undefined,
    delivery: form.has('undelivered') ? (list.delivery ?? undelivered) : [],
    archived: form.has('archived') ? 'true' : '',
  };
  const given = Object.entries(chosen).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value != null && value !== '',
  );
  return Object.fromEntries(given) as ListParameters; // `given` has no empty values
}

function StatusRow({ list }: { list: ListParameters }) {
  return (
    <Row label="ticket.status">
      {(labelledBy) => (
        <fieldset aria-labelledby={labelledBy}>
          {statuses.map((status) => (
            <Checkbox key={status} name="status" value={status} defaultChecked={list.status?.includes(status)}>
              {words(`status.${status}`)}
            </Checkbox>
          ))}
        </fieldset>
      )}
    </Row>
  );
}

function Flags({ list }: { list: ListParameters }) {
  return (
    <fieldset>
      <legend className="visually-hidden">{words('filter.others')}</legend>
      {ownFlags.map((name) => (
        <Check key={name} name={name} label={`chip.${name}`} isChecked={list[name] === true} />
      ))}
      <Check name="snoozed" label="chip.snoozed" isChecked={list.snoozed === true} />
      <Check name="undelivered" label="filter.undelivered" isChecked={list.delivery !== undefined} />
      <Check name="archived" label="chip.archived" isChecked={list.archived === 'true'} />
    </fieldset>
  );
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

function Select({ name, labelledBy, options, value = '' }: SelectProps) {
  const nameOf = (option: string) => options.find(([known]) => known === option)?.[1] ?? words('filter.other');
  const isOffered = value === '' || options.some(([option]) => option === value);
  return (
    <Choice name={name} aria-labelledby={labelledBy} defaultValue={value} options={options}>
      <option value="">{words('filter.any')}</option>
      {!isOffered && <option value={value}>{value.split(',').map(nameOf).join(', ')}</option>}
    </Choice>
  );
}

function Check({ name, label, isChecked }: { name: string; label: WordKey; isChecked: boolean }) {
  return (
    <Checkbox name={name} defaultChecked={isChecked}>
      {words(label)}
    </Checkbox>
  );
}
