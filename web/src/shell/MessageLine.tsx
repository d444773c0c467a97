import { type ReactNode, type Ref, useRef } from 'react';
import { Link } from 'wouter';
import { focusMain, useAskedFocus } from '../lib/asked-focus.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import styles from './MessageLine.module.css';

type Props = {
  ref?: Ref<HTMLLIElement>;
  icon: IconName;
  /** What the line is about is only for the team, or has gone wrong. */
  look?: 'note' | 'bad' | undefined;
  /** The address of the ticket. Undefined: the person does not see it. */
  to: string | undefined;
  title: string;
  time: string;
  details: readonly (string | false)[];
  snippet: string;
  children?: ReactNode;
};

/** A line of a list of messages: its ticket, its time, details, and the beginning of its text. */
export function MessageLine({ ref, icon, look, to, title, time, details, snippet, children }: Props) {
  return (
    <li ref={ref} className={styles.line} data-look={look}>
      <span className={styles.mark}>
        <Icon name={icon} />
      </span>
      <div className={styles.title}>
        {to === undefined ? (
          <span dir="auto">{title}</span>
        ) : (
          <Link href={to} dir="auto">
            {title}
          </Link>
        )}
        <time dateTime={time} title={fullTime(time)}>
          {shortTime(time)}
        </time>
      </div>
      <p className={styles.details}>{details.filter(Boolean).join(' · ')}</p>
      <p className={styles.snippet} dir="auto">
        {snippet}
      </p>
      {children}
    </li>
  );
}

/** Gives the focus to the line that takes the place of one that goes; `onGone` runs where no other is left. */
export function focusNeighbour(line: HTMLElement | null, onGone: () => void): void {
  const next = line?.nextElementSibling ?? line?.previousElementSibling;
  const first = next?.querySelector<HTMLElement>('a, button');
  if (first == null) onGone();
  else first.focus();
}

type LinesProps = { /** Names the list for screen readers. */ label: string; isLoaded: boolean; children: ReactNode };

export function MessageLines({ label, isLoaded, children }: LinesProps) {
  const list = useRef<HTMLUListElement>(null);
  useAskedFocus(
    isLoaded
      ? () => (list.current?.querySelector<HTMLElement>('a, button') ?? { focus: focusMain }).focus()
      : undefined,
  );
  return (
    <ul ref={list} className={styles.list} aria-label={label}>
      {children}
    </ul>
  );
}
