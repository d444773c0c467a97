import styles from './Choices.module.css';

type Props<Value extends string> = {
  name: string;
  label: string;
  options: readonly (readonly [value: Value, text: string])[];
  value: Value;
  onChoose: (value: Value) => void;
};

/** A group of radio buttons. */
export function Choices<Value extends string>({ name, label, options, value, onChoose }: Props<Value>) {
  return (
    <fieldset className={styles.choices}>
      <legend className="visually-hidden">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
