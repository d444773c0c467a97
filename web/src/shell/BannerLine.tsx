import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import styles from './Banner.module.css';

/** `info` needs no haste, `warn` keeps something from working, `bad` loses something. */
type Kind = 'info' | 'warn' | 'bad';

type Props = {
  kind: Kind;
  /** The name of the region; without one, the line stands in a region already. */
  label?: string;
  children: ReactNode;
};

/** A sentence across the page, with what helps behind it. */
export function BannerLine({ kind, label, children }: Props) {
  const Element = label === undefined ? 'div' : 'aside';
  return (
    <Element className={styles.banner} data-kind={kind} aria-label={label}>
      <Icon name={kind === 'info' ? 'info' : 'alert'} />
      <p>{children}</p>
    </Element>
  );
}
