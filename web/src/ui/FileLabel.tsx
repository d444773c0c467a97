import type { ReactNode } from 'react';
import styles from './FileLabel.module.css';
import { Icon } from './Icon.tsx';

type Props = {
  name: string;
  /** What the colour of its sign tells; without a kind it has no sign. */
  kind?: 'picture' | 'pdf' | 'table' | 'other' | undefined;
  /** Below the name, such as the size. */
  children: ReactNode;
};

/** What a tile says of a file. */
export function FileLabel({ name, kind, children }: Props) {
  return (
    <>
      {kind !== undefined && (
        <span className={styles.mark} data-kind={kind}>
          <Icon name={kind === 'picture' ? 'image' : 'file'} />
        </span>
      )}
      <span className={styles.words}>
        <b className="cut" dir="auto">
          {name}
        </b>
        {children}
      </span>
    </>
  );
}
