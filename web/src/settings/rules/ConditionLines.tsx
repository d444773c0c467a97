import { useEffect, useRef, useState } from 'react';
import { iconButtonLook } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import type { MenuItem } from '../../ui/MenuItems.tsx';
import { Select } from '../../ui/Select.tsx';
import { words } from '../../words/words.ts';
import { ConditionRow, fieldName } from './ConditionRow.tsx';
import { askedOf, type FieldName, isOfMessage, newAsked, termOf } from './fields.ts';
import { FieldIssues } from './issues.tsx';
import { type Condition, type Group, groupOf, isGroup, matchOf, type Term, termsOf } from './rule.ts';
import styles from './rules.module.css';
import type { RuleNames } from './sentence.ts';
import type { RuleOptions } from './use-rule-names.ts';

type Props = {
  group: Group<Term>;
  /** Where the group stands in the body of the request. */
  path: string;
  /** Whether the group may have groups. */
  isOuter: boolean;
  fields: readonly FieldName[];
  names: RuleNames;
  options: RuleOptions;
  onChange: (group: Group<Term>) => void;
};

/** The conditions of a rule, or of a group in it, with the word between them. */
export function ConditionLines({ group, path, isOuter, onChange, ...known }: Props) {
  const { fields, options } = known;
  const place = useRef<HTMLDivElement>(null);
  const [fresh, setFresh] = useState<number>();
  const match = matchOf(group);
  const terms = termsOf(group);
  useEffect(() => {
    if (fresh === undefined) return;
    const row = place.current?.querySelector(`:scope > [data-row="${fresh}"]`);
    (row?.querySelector<HTMLElement>('input, select') ?? row?.querySelector('button'))?.focus();
    setFresh(undefined);
  }, [fresh]);
  const set = (at: number, term: Term) => onChange(groupOf(match, terms.with(at, term)));
  const remove = (at: number) => {
    onChange(groupOf(match, terms.toSpliced(at, 1)));
    place.current?.querySelector<HTMLElement>(':scope > [data-add] > button')?.focus();
  };
  const add = (term: Term) => {
    onChange(groupOf(match, [...terms, term]));
    setFresh(terms.length);
  };
  return (
    <div ref={place} className={isOuter ? styles.terms : styles.group}>
      {[...terms.entries()].map(([at, term]) => (
        <div key={at} className={styles.sentence} data-row={at}>
          {at > 0 && <Between isFirst={at === 1} match={match} onChange={(to) => onChange(groupOf(to, terms))} />}
          {isOuter && isGroup(term) && askedOf(term) === undefined ? (
            <ConditionLines
              {...known}
              group={term}
              path={`${path}.${match}.${at}`}
              isOuter={false}
              // A group below the first has conditions only, as its menu offers nothing else.
              onChange={(next) => (termsOf(next).length === 0 ? remove(at) : set(at, next as Group<Condition>))}
            />
          ) : (
            <ConditionRow {...known} term={term} onChange={(next) => set(at, next)} onRemove={() => remove(at)} />
          )}
          {(!isGroup(term) || askedOf(term) !== undefined) && <FieldIssues at={`${path}.${match}.${at}`} />}
        </div>
      ))}
      <AddCondition
        isOuter={isOuter}
        fields={fields.filter((field) => isOffered(field, isOuter, options))}
        onAdd={(field) => add(termOf(newAsked(field, options.calendars[0]?.[0] ?? '')))}
        onGroup={() => add({ any: [termOf(newAsked('subject', ''))] as Condition[] })}
      />
    </div>
  );
}

/** The subject or the text is a group by itself. */
function isOffered(field: FieldName, isOuter: boolean, options: RuleOptions): boolean {
  if (field === 'subjectOrBody') return isOuter;
  if (field === 'hours') return options.calendars.length > 0;
  return (field !== 'mailbox' && field !== 'team') || options.of[field].length > 1;
}

type BetweenProps = { isFirst: boolean; match: 'all' | 'any'; onChange: (match: 'all' | 'any') => void };

/** And, or: the first one is chosen, the others follow it. */
function Between({ isFirst, match, onChange }: BetweenProps) {
  if (!isFirst) return <span>{words(`rules.match.${match}`)}</span>;
  return (
    <Select
      label={words('rules.match')}
      value={match}
      options={(['all', 'any'] as const).map((value) => ({ value, text: words(`rules.match.${value}`) }))}
      onChange={onChange}
    />
  );
}

type AddProps = {
  isOuter: boolean;
  fields: readonly FieldName[];
  onAdd: (field: FieldName) => void;
  onGroup: () => void;
};

function AddCondition({ isOuter, fields, onAdd, onGroup }: AddProps) {
  const item = (field: FieldName): MenuItem => ({ id: field, text: fieldName(field), run: () => onAdd(field) });
  const group: MenuItem = { id: 'group', text: words('rules.group'), icon: 'shared', run: onGroup };
  const items = () =>
    [
      fields.filter(isOfMessage).map(item),
      fields.filter((field) => !isOfMessage(field)).map(item),
      isOuter && fields.some(isOfMessage) ? [group] : [],
    ].filter((items) => items.length > 0);
  return (
    <span data-add>
      <MenuButton
        label={words('rules.addCondition')}
        aria-label={words('rules.addCondition')}
        title={words('rules.addCondition')}
        items={items}
        className={iconButtonLook}
      >
        <Icon name="plus" />
      </MenuButton>
    </span>
  );
}
