import { ageWords, fullTime } from '../lib/dates.ts';
import { words } from '../words/words.ts';
import { Icon } from './Icon.tsx';
import styles from './Waits.module.css';

const hourMs = 3_600_000;

/** How long a customer has waited. Its colour says whether that is long. */
export function Waits({ since }: { since: string }) {
  const hours = (Date.now() - new Date(since).getTime()) / hourMs;
  return (
    <span
      className={styles.waits}
      data-long={hours >= 24 ? 'day' : hours >= 4 ? 'hours' : undefined}
      title={words('row.waiting', { time: fullTime(since) })}
    >
      <Icon name="waiting" size={12} />
      {ageWords(since)}
    </span>
  );
}
