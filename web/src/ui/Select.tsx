import { Icon } from './Icon.tsx';
import { MenuButton } from './MenuButton.tsx';
import styles from './Select.module.css';

type Props<Value extends string> = {
  label: string;
  value: Value;
  options: readonly { value: Value; text: string; isDisabled?: boolean }[];
  onChange: (value: Value) => void;
  /** Without a frame, where it stands among tools. */
  isQuiet?: boolean;
  disabled?: boolean;
  id?: string;
};

/** A choice of one value. The button shows it, and its menu the others. */
export function Select<Value extends string>({ label, value, options, onChange, isQuiet, ...button }: Props<Value>) {
  const text = options.find((option) => option.value === value)?.text ?? '';
  const items = () => [
    options.map((option) => ({
      id: option.value,
      text: option.text,
      isChosen: option.value === value,
      isDisabled: option.isDisabled,
      run: () => onChange(option.value),
    })),
  ];
  return (
    <MenuButton
      {...button}
      label={label}
      items={items}
      className={isQuiet ? styles.quiet : styles.select}
      aria-label={`${label}: ${text}`}
      title={label}
    >
      <span className="cut" dir="auto">
        {text}
      </span>
      <Icon name="down" size={12} />
    </MenuButton>
  );
}
