import type { ReactNode } from 'react';
import { Avatar } from './Avatar.tsx';
import styles from './Table.module.css';

type Props = {
  label: string;
  /** The names of the columns. The last one holds tools, and is only named for screen readers. */
  heads: readonly string[];
  /** The columns are ticks rather than facts, so a phone shows them all. */
  areAllShown?: boolean;
  children: ReactNode;
};

/** Things that differ in the same points. On a phone the columns between the first and the last two are left out. */
export function Table({ label, heads, areAllShown = false, children }: Props) {
  return (
    <table className={areAllShown ? styles.ticks : styles.table} aria-label={label}>
      <thead>
        <tr>
          {heads.map((head, at) => (
            <th key={head} scope="col">
              {at === heads.length - 1 && !areAllShown ? <span className="visually-hidden">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

type WhoProps = { name: ReactNode; detail: ReactNode; face?: { name: string; of: string } };

/** The first cell of a row: a person or thing, and a line about it. */
export function Who({ name, detail, face }: WhoProps) {
  return (
    <div className={styles.who}>
      {face !== undefined && <Avatar {...face} isTeam />}
      <div>
        <p className={styles.name} dir="auto">
          {name}
        </p>
        <p className={styles.detail}>{detail}</p>
      </div>
    </div>
  );
}
