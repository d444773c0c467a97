import { type ComponentProps, useId } from 'react';
import styles from './Choice.module.css';
import field from './Field.module.css';

type Option<Value extends string> = readonly [value: Value, text: string];
type Props<Value extends string> = Omit<ComponentProps<'select'>, 'onChange'> & {
  options: readonly Option<Value>[];
  onChoose?: (value: Value) => void;
};

/** A choice among texts. The browser's own element: it sends its value with a form, and phones show their wheel. */
export function Choice<Value extends string>({ options, onChoose, children, className, ...rest }: Props<Value>) {
  return (
    <select
      {...rest}
      className={[styles.choice, className].filter(Boolean).join(' ')}
      onChange={onChoose && (({ target }) => onChoose(target.value as Value))} // one of the options below
    >
      {children}
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** A choice below its label. */
export function ChoiceField<Value extends string>({ label, ...rest }: Props<Value> & { label: string }) {
  const id = useId();
  return (
    <div className={field.field}>
      <label htmlFor={id}>{label}</label>
      <Choice id={id} {...rest} />
    </div>
  );
}
