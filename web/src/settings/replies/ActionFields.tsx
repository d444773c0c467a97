import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery, membersQuery, teamsQuery } from '../../tickets/queries.ts';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import styles from './replies.module.css';
import { type ActionName, type ReplyActions, withAction } from './reply-fields.ts';

type Props = {
  actions: ReplyActions;
  onChange: (actions: ReplyActions) => void;
  /** The fields of a rule: it says which ones, and nobody uses it who could follow the ticket. */
  only?: readonly ActionName[];
};

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

type Changed = { [Name in keyof ReplyActions]?: unknown };
type FieldProps = {
  actions: ReplyActions;
  isRule: boolean;
  change: (changed: Changed) => void;
};

/** The field of each action, in the order of display. */
const fields: Partial<Record<ActionName, (props: FieldProps) => ReactNode>> = {
  status: ({ actions, change }) => (
    <Kept
      label={words('ticket.status')}
      value={actions.status}
      options={statuses.map((one) => [one, words(`status.${one}`)])}
      onChoose={(chosen) => change({ status: chosen })}
    />
  ),
  assignee: ({ actions, isRule, change }) => (
    <AssigneeChoice {...actions} isRule={isRule} onChoose={(assignee) => change({ assignee })} />
  ),
  teamId: ({ actions, change }) => <TeamChoice {...actions} onChoose={(chosen) => change({ teamId: chosen })} />,
  mailboxId: ({ actions, change }) => (
    <MailboxChoice {...actions} onChoose={(chosen) => change({ mailboxId: chosen })} />
  ),
  priority: ({ actions: { priority }, change }) => (
    <Kept
      label={words('ticket.priority')}
      value={priority}
      options={[...new Set([...priorities, ...(priority === undefined ? [] : [priority])])].map((one) => [
        one,
        isKnown(one) ? words(`priority.${one}`) : one,
      ])}
      onChoose={(chosen) => change({ priority: chosen })}
    />
  ),
  snoozeHours: ({ actions: { snoozeHours }, change }) => (
    <Kept
      label={words('ticket.snooze')}
      value={snoozeHours === undefined ? undefined : String(snoozeHours)}
      options={[
        ...snoozes.map(([hours, name]) => [String(hours), words(name)] as const),
        ...(snoozeHours === undefined || snoozes.some(([hours]) => hours === snoozeHours)
          ? []
          : [[String(snoozeHours), words('savedReplies.hours', { hours: snoozeHours })] as const]),
      ]}
      onChoose={(hours) => change({ snoozeHours: hours === '' ? undefined : Number(hours) })}
    />
  ),
  archive: ({ actions, change }) => (
    <YesOrNo name="archive" value={actions.archive} onChoose={(chosen) => change({ archive: chosen })} />
  ),
  follow: ({ actions, change }) => (
    <YesOrNo name="follow" value={actions.follow} onChoose={(chosen) => change({ follow: chosen })} />
  ),
  addTags: ({ actions, change }) => (
    <TagField name="addTags" tags={actions.addTags} onChange={(addTags) => change({ addTags })} />
  ),
  removeTags: ({ actions, change }) => (
    <TagField name="removeTags" tags={actions.removeTags} onChange={(removeTags) => change({ removeTags })} />
  ),
};
// `keys` does not follow types.
const allFields = Object.keys(fields) as ActionName[];

/** What using a reply, or a rule, changes in the ticket. */
export function ActionFields({ actions, onChange, only }: Props) {
  const change = (changed: Changed) => onChange(withAction(actions, changed));
  const isRule = only !== undefined;
  return (
    <fieldset className={styles.actions}>
      <legend className={isRule ? 'visually-hidden' : undefined}>{words('savedReplies.actions')}</legend>
      {allFields
        .filter((name) => only?.includes(name) ?? true)
        .map((name) => {
          const Shown = fields[name];
          return (
            Shown !== undefined && (
              <div key={name} data-action={name}>
                <Shown actions={actions} isRule={isRule} change={change} />
              </div>
            )
          );
        })}
      {actions.status !== undefined && (
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

type KeptProps = {
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
  onChoose: (value: string) => void;
};

/** A choice whose first option leaves the field as it is. */
function Kept({ value, options, ...rest }: KeptProps) {
  return <ChoiceField value={value ?? ''} options={[['', words('savedReplies.asItIs')], ...options]} {...rest} />;
}

type AssigneeProps = Pick<ReplyActions, 'assignee'> & Pick<KeptProps, 'onChoose'> & { isRule: boolean };

function AssigneeChoice({ assignee, isRule, onChoose }: AssigneeProps) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const isGone = assignee?.includes('-') === true && !members.some(({ userId }) => userId === assignee);
  return (
    <Kept
      label={words('ticket.assignee')}
      value={assignee}
      options={[
        ...(isRule ? [] : [['me', words('savedReplies.toMe')] as const]),
        ['none', words('ticket.nobody')],
        ...members
          .filter(({ userId, role }) => role !== 'viewer' || userId === assignee)
          .map(({ userId, name, email }) => [userId, name ?? email] as const),
        ...(isGone ? [[assignee ?? '', words('savedReplies.gone')] as const] : []),
      ]}
      onChoose={onChoose}
    />
  );
}

function TeamChoice({ teamId, onChoose }: Pick<ReplyActions, 'teamId'> & Pick<KeptProps, 'onChoose'>) {
  const { workspace } = usePlace();
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  const isGone = teamId != null && !teams.some(({ id }) => id === teamId);
  if (teams.length === 0 && !isGone) return null;
  return (
    <Kept
      label={words('ticket.team')}
      value={teamId ?? undefined}
      options={[
        ...teams
          .filter(({ id, archivedAt }) => archivedAt === null || id === teamId)
          .map(({ id, name }) => [id, name] as const),
        ...(isGone ? [[teamId, words('chip.otherTeam')] as const] : []),
      ]}
      onChoose={onChoose}
    />
  );
}

function MailboxChoice({ mailboxId, onChoose }: Pick<ReplyActions, 'mailboxId'> & Pick<KeptProps, 'onChoose'>) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const isGone = mailboxId != null && !mailboxes.some(({ id }) => id === mailboxId);
  if (mailboxes.length === 0 && !isGone) return null;
  return (
    <Kept
      label={words('filter.mailbox')}
      value={mailboxId ?? undefined}
      options={[
        ...mailboxes.map(({ id, address }) => [id, address] as const),
        ...(isGone ? [[mailboxId, words('chip.otherMailbox')] as const] : []),
      ]}
      onChoose={onChoose}
    />
  );
}

type YesOrNoProps = {
  name: 'archive' | 'follow';
  value: boolean | undefined;
  onChoose: (value: boolean | undefined) => void;
};

function YesOrNo({ name, value, onChoose }: YesOrNoProps) {
  return (
    <Kept
      label={words(`savedReplies.${name}`)}
      value={value === undefined ? '' : String(value)}
      options={[
        ['true', words(`savedReplies.${name}.true`)],
        ['false', words(`savedReplies.${name}.false`)],
      ]}
      onChoose={(chosen) => onChoose(chosen === '' ? undefined : chosen === 'true')}
    />
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
