import { createContext, type ReactNode, useContext, useId } from 'react';
import styles from './Section.module.css';

const PageName = createContext<string | undefined>(undefined);

/** The name of the page, which stands above its sections. */
export const SectionsOf = PageName.Provider;

type Props = {
  title: string;
  hint?: string | undefined;
  /** How many things the section lists. */
  count?: number | undefined;
  children: ReactNode;
};

/** One subject of a page of settings, on a card of its own. A name that the page has too is shown once, above. */
export function Section({ title, hint, count, children }: Props) {
  const id = useId();
  const isNamed = useContext(PageName) === title;
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header>
        <h2 id={id} className={isNamed ? 'visually-hidden' : undefined}>
          {title}
        </h2>
        {count !== undefined && <span className={styles.count}>{count}</span>}
        {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      </header>
      <div className={styles.card}>{children}</div>
    </section>
  );
}

type RowProps = { title: ReactNode; help?: ReactNode; children: ReactNode };

/** One thing to choose: what it is at the start of the line, the control at its end. */
export function Row({ title, help, children }: RowProps) {
  return (
    <div className={styles.row}>
      <div>
        <p className={styles.name}>{title}</p>
        {help !== undefined && <p className={styles.hint}>{help}</p>}
      </div>
      <div className={styles.control}>{children}</div>
    </div>
  );
}
