import styles from './Choices.module.css';

type Props<Value extends string> = {
  name: string;
  label: string;
  options: readonly (readonly [value: Value, text: string])[];
  value: Value;
  /** Without it, the radio buttons are a field of a form, which begins with `value`. */
  onChoose?: (value: Value) => void;
  /** Short texts stand in one bar, long ones below one another. */
  isBar?: boolean;
};

/** Radio buttons, of which one is chosen. */
export function Choices<Value extends string>({ name, label, options, value, onChoose, isBar = false }: Props<Value>) {
  return (
    <fieldset className={isBar ? styles.bar : styles.choices}>
      <legend className="visually-hidden">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            value={option}
            {...(onChoose === undefined
              ? { defaultChecked: option === value }
              : { checked: option === value, onChange: () => onChoose(option) })}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
