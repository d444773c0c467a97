import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './Field.module.css';

type Props = ComponentProps<'input'> & {
  label: string;
  /** What to enter, or what comes of it. */
  help?: ReactNode;
  /** Stands at the end of the label's line. The keyboard reaches it after the field. */
  beside?: ReactNode;
  /** A button at the end of the field itself. */
  tool?: ReactNode;
};

export function Field({ label, help, beside, tool, ...rest }: Props) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <span className={tool === undefined ? styles.frame : styles.withTool}>
        <input
          id={id}
          className="text-field"
          dir="auto"
          aria-describedby={help === undefined ? undefined : `${id}help`}
          {...rest}
        />
        {tool}
      </span>
      {beside !== undefined && <span className={styles.beside}>{beside}</span>}
      {help !== undefined && (
        <div id={`${id}help`} className={styles.help}>
          {help}
        </div>
      )}
    </div>
  );
}
