import type { ComponentProps, ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import styles from './Notice.module.css';

type Tone = 'info' | 'warn' | 'bad' | 'good';
const icons = { info: 'info', warn: 'alert', bad: 'alert', good: 'done' } as const;

type Props = ComponentProps<'div'> & { tone?: Tone; action?: ReactNode };

/** A line that concerns the whole page or card, with what can be done about it. */
export function Notice({ tone = 'info', action, children, ...rest }: Props) {
  return (
    <div className={styles.notice} data-tone={tone} {...rest}>
      <Icon name={icons[tone]} />
      <div className={styles.text}>{children}</div>
      {action}
    </div>
  );
}
