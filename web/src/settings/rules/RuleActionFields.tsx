import { useEffect, useId, useRef, useState } from 'react';
import { iconButtonLook } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { words } from '../../words/words.ts';
import { ActionFields } from '../replies/ActionFields.tsx';
import { type ActionName, withAction } from '../replies/reply-fields.ts';
import { FieldIssues } from './issues.tsx';
import type { RuleActions } from './rule.ts';
import styles from './rules.module.css';
import type { RuleOptions } from './use-rule-names.ts';
import { ChosenValues } from './Values.tsx';

/** Those of saved replies, and those of rules alone, in the order of the menu. */
const ofTicket = [
  'assignee',
  'teamId',
  'priority',
  'addTags',
  'removeTags',
  'status',
  'snoozeHours',
  'archive',
] as const;
const ofRules = ['notify', 'reply', 'note', 'spam', 'mailboxId', 'webhookId'] as const;
type Name = (typeof ofTicket)[number] | (typeof ofRules)[number];
const ofRulesAlone = ['notify', 'reply', 'note', 'spam', 'webhookId'] as const;
type OwnName = (typeof ofRulesAlone)[number];
const isOwn = (name: Name): name is OwnName => (ofRulesAlone as readonly string[]).includes(name);

type Props = { actions: RuleActions; options: RuleOptions; onChange: (actions: RuleActions) => void };

/** What the rule does: its actions, each with its field, and a menu of the others. */
export function RuleActionFields({ actions, options, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<readonly Name[]>([]);
  const [fresh, setFresh] = useState<Name>();
  const isShown = (name: Name) => actions[name] !== undefined || opened.includes(name);
  const all = [...ofTicket, ...ofRules];
  const shown = all.filter(isShown);
  useEffect(() => {
    if (fresh === undefined) return;
    place.current?.querySelector<HTMLElement>(`[data-action="${fresh}"] :is(input, select, textarea)`)?.focus();
    setFresh(undefined);
  }, [fresh]);
  const items = (names: readonly Name[]) =>
    names
      .filter((name) => !isShown(name) && isOffered(name, options))
      .map((name) => ({
        id: name,
        text: words(`rules.action.${name}`),
        run: () => {
          setOpened([...opened, name]);
          setFresh(name);
        },
      }));
  return (
    <div ref={place} className={styles.actions}>
      <ActionFields
        actions={actions}
        only={shown.filter((name): name is Exclude<Name, OwnName> & ActionName => !isOwn(name))}
        onChange={(changed) => onChange(withAction(actions, { ...cleared(actions, changed), ...changed }))}
      />
      {shown.filter(isOwn).map((name) => (
        <div key={name} data-action={name} className={styles.own}>
          <OwnField name={name} {...{ actions, options }} onChange={(to) => onChange(withAction(actions, to))} />
        </div>
      ))}
      <FieldIssues at="actions" />
      <MenuButton
        label={words('rules.addAction')}
        aria-label={words('rules.addAction')}
        title={words('rules.addAction')}
        items={() => [items(ofTicket), items(ofRules)].filter((group) => group.length > 0)}
        className={iconButtonLook}
      >
        <Icon name="plus" />
      </MenuButton>
    </div>
  );
}

/** What the fields of saved replies have emptied. */
function cleared(before: RuleActions, after: RuleActions): Partial<Record<Name, undefined>> {
  const gone = ([...ofTicket, 'mailboxId'] as const).filter((name) => name in before && !(name in after));
  return Object.fromEntries(gone.map((name) => [name, undefined]));
}

function isOffered(name: Name, { teams, replies, webhooks, of }: RuleOptions): boolean {
  if (name === 'teamId') return teams.length > 0;
  if (name === 'reply') return replies.length > 0;
  if (name === 'mailboxId') return of.mailbox.length > 0;
  return name !== 'webhookId' || webhooks.length > 0;
}

type OwnProps = Omit<Props, 'onChange'> & {
  name: OwnName;
  onChange: (changed: { [Part in keyof RuleActions]?: unknown }) => void;
};

function OwnField({ name, actions, options, onChange }: OwnProps) {
  const label = words(`rules.action.${name}`);
  const asItIs = ['', words('savedReplies.asItIs')] as const;
  switch (name) {
    case 'spam':
      return (
        <ChoiceField
          label={label}
          value={actions.spam === undefined ? '' : String(actions.spam)}
          options={[asItIs, ['true', words('rules.spam.true')], ['false', words('rules.spam.false')]]}
          onChoose={(chosen) => onChange({ spam: chosen === '' ? undefined : chosen === 'true' })}
        />
      );
    case 'reply':
      return (
        <ChoiceField
          label={label}
          value={actions.reply?.savedReplyId ?? ''}
          options={[asItIs, ...withGone(options.replies, actions.reply?.savedReplyId)]}
          onChoose={(savedReplyId) =>
            onChange({ reply: savedReplyId === '' ? undefined : { savedReplyId, to: 'requester' } })
          }
        />
      );
    case 'webhookId':
      return (
        <ChoiceField
          label={label}
          value={actions.webhookId ?? ''}
          options={[asItIs, ...withGone(options.webhooks, actions.webhookId)]}
          onChoose={(webhookId) => onChange({ webhookId })}
        />
      );
    case 'note':
      return <NoteField label={label} note={actions.note ?? ''} onChange={(note) => onChange({ note })} />;
    default:
      return (
        <NotifyFields notify={actions.notify ?? {}} options={options} onChange={(notify) => onChange({ notify })} />
      );
  }
}

/** The chosen record stays in the list when it is gone, so that nothing changes by itself. */
function withGone(options: RuleOptions['replies'], id: string | undefined): RuleOptions['replies'] {
  if (id === undefined || options.some(([known]) => known === id)) return options;
  return [...options, [id, words('rules.gone')]];
}

const noteMax = 10_000;

function NoteField({ label, note, onChange }: { label: string; note: string; onChange: (note: string) => void }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="text-field"
        rows={3}
        maxLength={noteMax}
        dir="auto"
        value={note}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}

type Notify = NonNullable<RuleActions['notify']>;
type NotifyProps = { notify: Notify; options: RuleOptions; onChange: (notify: Notify | undefined) => void };

/** Whom the rule tells. */
function NotifyFields({ notify, options: { people, teams }, onChange }: NotifyProps) {
  const set = (changed: Partial<Record<keyof Notify, unknown>>) => {
    const { assignee, teamId, userIds = [] } = { ...notify, ...changed } as Notify;
    const next = { ...(assignee && { assignee }), ...(teamId && { teamId }), ...(userIds.length > 0 && { userIds }) };
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <fieldset className={styles.tell}>
      <legend>{words('rules.action.notify')}</legend>
      <Checkbox checked={notify.assignee === true} onChange={({ target }) => set({ assignee: target.checked })}>
        {words('rules.theAssignee')}
      </Checkbox>
      {(teams.length > 0 || notify.teamId !== undefined) && (
        <ChoiceField
          label={words('ticket.team')}
          value={notify.teamId ?? ''}
          options={[['', words('rules.noTeamTold')], ...withGone(teams, notify.teamId)]}
          onChoose={(teamId) => set({ teamId })}
        />
      )}
      <span>{words('rules.people')}</span>
      <ChosenValues
        label={words('rules.people')}
        values={notify.userIds ?? []}
        options={people}
        onChange={(userIds) => set({ userIds })}
      />
    </fieldset>
  );
}
