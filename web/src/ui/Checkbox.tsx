import type { ComponentProps } from 'react';
import styles from './Checkbox.module.css';

type Props = Omit<ComponentProps<'input'>, 'type'> & {
  /** On and off at once, without a button that saves. */
  isSwitch?: boolean;
};

/** A box to tick, and beside it what it means. */
export function Checkbox({ isSwitch = false, children, ...input }: Props) {
  const look = isSwitch ? styles.switch : styles.box;
  if (children === undefined) return <input type="checkbox" className={look} {...input} />;
  return (
    <label className={styles.label}>
      <input type="checkbox" className={look} {...input} />
      <span>{children}</span>
    </label>
  );
}
