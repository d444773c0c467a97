import { IconButton } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { type WordKey, words } from '../../words/words.ts';
import { type Asked, askedOf, type FieldName, isFlag, isText, newAsked, termOf } from './fields.ts';
import type { Term, Text } from './rule.ts';
import styles from './rules.module.css';
import { Sentence } from './Sentence.tsx';
import { type RuleNames, termParts } from './sentence.ts';
import type { RuleOptions } from './use-rule-names.ts';
import { ChosenValues, WordValues } from './Values.tsx';

type Props = {
  term: Term;
  fields: readonly FieldName[];
  names: RuleNames;
  options: RuleOptions;
  onChange: (term: Term) => void;
  onRemove: () => void;
};

/** A condition as a sentence: what it asks about, how, and the values. What only a program writes is shown as it is. */
export function ConditionRow({ term, fields, names, options, onChange, onRemove }: Props) {
  const asked = askedOf(term);
  const change = (next: Asked) => onChange(termOf(next));
  const choose = (field: FieldName) => {
    if (field !== asked?.field) change(newAsked(field, options.calendars[0]?.[0] ?? ''));
  };
  const isKnown = asked !== undefined && fields.includes(asked.field);
  return (
    <>
      {asked === undefined ? (
        <span>
          <Sentence parts={termParts(term, names)} />
        </span>
      ) : (
        <>
          <Select
            label={words('rules.what')}
            value={asked.field}
            options={[...fields, ...(isKnown ? [] : [asked.field])]
              .filter((field) => field !== 'hours' || options.calendars.length > 0 || field === asked.field)
              .map((field) => ({ value: field, text: fieldName(field) }))}
            onChange={choose}
          />
          <Operator asked={asked} onChange={change} />
          <Value asked={asked} options={options} onChange={change} />
        </>
      )}
      <IconButton
        icon="close"
        aria-label={words('rules.removeCondition')}
        className={styles.remove}
        onClick={onRemove}
      />
    </>
  );
}

export const fieldName = (field: FieldName) => words(`rules.field.${field}` as WordKey, { name: '' }).trim();

type PartProps = { asked: Asked; onChange: (asked: Asked) => void };

const textOperators = ['has', 'is', 'matches'] as const;

/** How the field is compared. */
function Operator({ asked, onChange }: PartProps) {
  const { field, not } = asked;
  const no = not ? 'Not' : '';
  if ('text' in asked) {
    const { text } = asked;
    const operator = textOperators.find((one) => one in text) ?? 'has';
    const all = textOperators.flatMap((one) => [`${one}`, `${one}Not`] as const);
    return (
      <Select
        label={words('rules.how')}
        value={`${operator}${no}`}
        options={all.map((one) => ({ value: one, text: words(`rules.how.${one}`) }))}
        onChange={(chosen) => {
          const to = chosen.replace('Not', '') as (typeof textOperators)[number];
          onChange({ ...asked, not: chosen.endsWith('Not'), text: to === operator ? text : textWith(to, text) });
        }}
      />
    );
  }
  const kind = isFlag(field) || field === 'hours' || field === 'tags' ? field : undefined;
  const textFor = (isNot: boolean) =>
    words(
      (kind === undefined ? `rules.how.is${isNot ? 'Not' : ''}` : `rules.how.${kind}${isNot ? 'Not' : ''}`) as WordKey,
    );
  return (
    <Select
      label={words('rules.how')}
      value={no}
      options={[
        { value: '', text: textFor(false) },
        { value: 'Not', text: textFor(true) },
      ]}
      onChange={(chosen) => onChange({ ...asked, not: chosen === 'Not' })}
    />
  );
}

/** The words of a text go with it where both take words. */
function textWith(operator: (typeof textOperators)[number], before: Text): Text {
  const found = 'is' in before ? before.is : 'has' in before ? before.has : [];
  if (operator === 'matches') return { matches: found.join('|') };
  return operator === 'is' ? { is: found } : { has: found };
}

function Value({ asked, options, onChange }: PartProps & Pick<Props, 'options'>) {
  const label = fieldName(asked.field);
  if ('text' in asked) return <TextValue asked={asked} onChange={onChange} />;
  if ('values' in asked) {
    const set = (values: string[]) => onChange({ ...asked, values });
    const { field, values } = asked;
    return field === 'tags' || field === 'fromDomain' ? (
      <WordValues label={label} values={values} onChange={set} />
    ) : (
      <ChosenValues label={label} values={values} options={options.of[field]} onChange={set} />
    );
  }
  if ('calendarId' in asked)
    return (
      <Select
        label={words('rules.calendar')}
        value={asked.calendarId}
        options={options.calendars.map(([value, text]) => ({ value, text }))}
        onChange={(calendarId) => onChange({ ...asked, calendarId })}
      />
    );
  if (!('value' in asked)) return null;
  return (
    <Select
      label={label}
      value={asked.value}
      options={[...new Set([...priorities, asked.value])].map((value) => ({
        value,
        text: priorities.includes(value) ? words(`priority.${value}` as WordKey) : value,
      }))}
      onChange={(value) => onChange({ ...asked, value })}
    />
  );
}

const priorities: readonly string[] = ['urgent', 'high', 'normal', 'low'];
const patternMax = 200;

function TextValue({ asked, onChange }: { asked: Extract<Asked, { text: Text }>; onChange: PartProps['onChange'] }) {
  const { field, text, header } = asked;
  const label = fieldName(field);
  const set = (next: Text) => onChange({ ...asked, text: next });
  return (
    <>
      {isText(field) && field === 'header' && (
        <input
          className={`text-field ${styles.header}`}
          aria-label={words('rules.headerName')}
          maxLength={100}
          value={header ?? ''}
          onChange={({ target }) => onChange({ ...asked, header: target.value.trim() })}
        />
      )}
      {'matches' in text ? (
        <input
          className="text-field"
          aria-label={words('rules.pattern', { field: label })}
          maxLength={patternMax}
          spellCheck={false}
          value={text.matches}
          onChange={({ target }) => set({ matches: target.value })}
        />
      ) : (
        <WordValues
          label={label}
          values={'is' in text ? text.is : text.has}
          onChange={(values) => set('is' in text ? { is: values } : { has: values })}
        />
      )}
    </>
  );
}
