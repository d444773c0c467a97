import { soonTime } from '../../lib/dates.ts';
import { words } from '../../words/words.ts';
import styles from './hours.module.css';
import type { Calendar } from './queries.ts';

/** Whether a calendar is open now, and until when, in the time zone of the person. */
export function OpenState({ calendar: { isOpen, changesAt } }: { calendar: Pick<Calendar, 'isOpen' | 'changesAt'> }) {
  const time = changesAt === null ? null : soonTime(new Date(changesAt));
  const sentence = isOpen
    ? time === null
      ? words('hours.alwaysOpen')
      : words('hours.openUntil', { time })
    : time === null
      ? words('hours.neverOpen')
      : words('hours.opensAt', { time });
  return (
    <small className={styles.state} data-open={isOpen}>
      {sentence}
    </small>
  );
}
