import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './rules.module.css';

type Props = {
  /** What the values are for, such as "the subject". */
  label: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
};

/** Words as chips. A comma or ⏎ ends one, and so does leaving the field. */
export function WordValues({ label, values, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const add = (text: string) => {
    const found = text.split(',').map((word) => word.trim());
    const next = [...new Set([...values, ...found.filter((word) => word !== '')])];
    setTyped('');
    if (next.length > values.length) onChange(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      // Otherwise ⏎ would store the rule.
      event.preventDefault();
      add(typed);
    } else if (event.key === 'Backspace' && typed === '' && values.length > 0) onChange(values.slice(0, -1));
  };
  return (
    <Chips
      label={label}
      values={values}
      nameOf={(text) => text}
      {...{ onChange }}
      onGone={() => field.current?.focus()}
    >
      <input
        ref={field}
        aria-label={words('rules.addWord', { field: label })}
        placeholder={values.length === 0 ? words('rules.wordHint') : undefined}
        dir="auto"
        value={typed}
        onKeyDown={onKeyDown}
        onBlur={() => add(typed)}
        onChange={({ target }) => (target.value.includes(',') ? add(target.value) : setTyped(target.value))}
      />
    </Chips>
  );
}

type Options = readonly (readonly [value: string, text: string])[];

/** Values as chips, chosen from a list. */
export function ChosenValues({ label, values, options, onChange }: Props & { options: Options }) {
  const field = useRef<HTMLSpanElement>(null);
  const left = options.filter(([value]) => !values.includes(value));
  const nameOf = (value: string) => options.find(([known]) => known === value)?.[1] ?? words('rules.gone');
  return (
    <span ref={field} className={styles.values}>
      <Chips
        {...{ label, values, nameOf, onChange }}
        onGone={() => requestAnimationFrame(() => field.current?.querySelector('select')?.focus())}
      >
        {left.length > 0 && (
          <Choice
            aria-label={words('rules.addWord', { field: label })}
            value=""
            options={[['', words(values.length === 0 ? 'rules.choose' : 'rules.orElse')], ...left]}
            onChoose={(value) => value !== '' && onChange([...values, value])}
          />
        )}
      </Chips>
    </span>
  );
}

type ChipProps = Props & { nameOf: (value: string) => string; onGone: () => void; children: ReactNode };

function Chips({ label, values, nameOf, onChange, onGone, children }: ChipProps) {
  return (
    <span className={styles.box} role="group" aria-label={label}>
      {values.map((value) => (
        <span key={value} className={styles.chip}>
          <span dir="auto">{nameOf(value)}</span>
          <button
            type="button"
            aria-label={words('rules.removeWord', { word: nameOf(value) })}
            onClick={() => {
              onChange(values.filter((other) => other !== value));
              onGone();
            }}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      {children}
    </span>
  );
}
