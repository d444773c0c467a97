import { words } from '../../words/words.ts';
import styles from './mailboxes.module.css';

const historyChoices = [0, 7, 30, 90, 365] as const;

/** How much older mail to import with a mailbox. */
export function HistoryChoice() {
  return (
    <label className={styles.choice}>
      {words('mailboxes.olderMail')}
      <select name="historyDays" defaultValue="0">
        {historyChoices.map((days) => (
          <option key={days} value={days}>
            {days === 0 ? words('mailboxes.noOlderMail') : words('mailboxes.daysOfMail', { count: days })}
          </option>
        ))}
      </select>
    </label>
  );
}
