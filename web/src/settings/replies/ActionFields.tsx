import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { membersQuery } from '../../tickets/queries.ts';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import styles from './replies.module.css';
import { type ReplyActions, withAction } from './reply-fields.ts';

type Props = { actions: ReplyActions; onChange: (actions: ReplyActions) => void };

const statuses = ['open', 'pending', 'closed'] as const;
const priorities = ['urgent', 'high', 'normal', 'low'] as const;
const snoozes = [
  [4, 'savedReplies.hours4'],
  [24, 'savedReplies.day1'],
  [72, 'savedReplies.days3'],
  [168, 'savedReplies.week1'],
  [336, 'savedReplies.weeks2'],
  [720, 'savedReplies.days30'],
] as const;

/** What using a reply changes in the ticket. */
export function ActionFields({ actions, onChange }: Props) {
  const change = (changed: Parameters<typeof withAction>[1]) => onChange(withAction(actions, changed));
  const { status, priority, snoozeHours, archive, follow } = actions;
  const isOwnSnooze = snoozeHours !== undefined && !snoozes.some(([hours]) => hours === snoozeHours);
  return (
    <fieldset className={styles.actions}>
      <legend>{words('savedReplies.actions')}</legend>
      <Choice label={words('ticket.status')} value={status} onChoose={(chosen) => change({ status: chosen })}>
        {statuses.map((one) => (
          <option key={one} value={one}>
            {words(`status.${one}`)}
          </option>
        ))}
      </Choice>
      <AssigneeChoice {...actions} onChoose={(assignee) => change({ assignee })} />
      <Choice label={words('ticket.priority')} value={priority} onChoose={(chosen) => change({ priority: chosen })}>
        {[...new Set([...priorities, ...(priority === undefined ? [] : [priority])])].map((one) => (
          <option key={one} value={one}>
            {isKnown(one) ? words(`priority.${one}`) : one}
          </option>
        ))}
      </Choice>
      <Choice
        label={words('ticket.snooze')}
        value={snoozeHours}
        onChoose={(hours) => change({ snoozeHours: hours === '' ? undefined : Number(hours) })}
      >
        {snoozes.map(([hours, name]) => (
          <option key={hours} value={hours}>
            {words(name)}
          </option>
        ))}
        {isOwnSnooze && <option value={snoozeHours}>{words('savedReplies.hours', { hours: snoozeHours })}</option>}
      </Choice>
      <YesOrNo name="archive" value={archive} onChoose={(chosen) => change({ archive: chosen })} />
      <YesOrNo name="follow" value={follow} onChoose={(chosen) => change({ follow: chosen })} />
      <TagField name="addTags" tags={actions.addTags} onChange={(addTags) => change({ addTags })} />
      <TagField name="removeTags" tags={actions.removeTags} onChange={(removeTags) => change({ removeTags })} />
      {status !== undefined && (
        <Field
          label={words('savedReplies.reason')}
          maxLength={1_000}
          value={actions.reason ?? ''}
          onChange={({ target }) => change({ reason: target.value })}
        />
      )}
    </fieldset>
  );
}

function isKnown(priority: string): priority is (typeof priorities)[number] {
  return priorities.some((one) => one === priority);
}

type ChoiceProps = {
  label: string;
  value: string | number | undefined;
  onChoose: (value: string) => void;
  children: ReactNode;
};

/** A choice whose first option leaves the field as it is. */
function Choice({ label, value, onChoose, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{words('savedReplies.asItIs')}</option>
        {children}
      </select>
    </div>
  );
}

function AssigneeChoice({ assignee, onChoose }: Pick<ReplyActions, 'assignee'> & Pick<ChoiceProps, 'onChoose'>) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const isGone = assignee?.includes('-') && !members.some(({ userId }) => userId === assignee);
  return (
    <Choice label={words('ticket.assignee')} value={assignee} onChoose={onChoose}>
      <option value="me">{words('savedReplies.toMe')}</option>
      <option value="none">{words('ticket.nobody')}</option>
      {members
        .filter(({ userId, role }) => role !== 'viewer' || userId === assignee)
        .map(({ userId, name, email }) => (
          <option key={userId} value={userId}>
            {name ?? email}
          </option>
        ))}
      {isGone && <option value={assignee}>{words('savedReplies.gone')}</option>}
    </Choice>
  );
}

type YesOrNoProps = {
  name: 'archive' | 'follow';
  value: boolean | undefined;
  onChoose: (value: boolean | undefined) => void;
};

function YesOrNo({ name, value, onChoose }: YesOrNoProps) {
  return (
    <Choice
      label={words(`savedReplies.${name}`)}
      value={value === undefined ? '' : String(value)}
      onChoose={(chosen) => onChoose(chosen === '' ? undefined : chosen === 'true')}
    >
      <option value="true">{words(`savedReplies.${name}.true`)}</option>
      <option value="false">{words(`savedReplies.${name}.false`)}</option>
    </Choice>
  );
}

type TagProps = { name: 'addTags' | 'removeTags'; tags: string[] | undefined; onChange: (tags: string[]) => void };

/** Tags with commas between them. The text stays as it is typed. */
function TagField({ name, tags = [], onChange }: TagProps) {
  const [text, setText] = useState(tags.join(', '));
  return (
    <Field
      label={words(`savedReplies.${name}`)}
      placeholder={words('filter.tagsHint')}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const typed = target.value.split(',').map((tag) => tag.trim());
        onChange([...new Set(typed.filter((tag) => tag !== ''))]);
      }}
    />
  );
}
