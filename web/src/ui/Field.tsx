import { type ComponentProps, useId } from 'react';
import styles from './Field.module.css';

type Props = ComponentProps<'input'> & { label: string };

export function Field({ label, ...rest }: Props) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input id={id} dir="auto" {...rest} />
    </div>
  );
}
