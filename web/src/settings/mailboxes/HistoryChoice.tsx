import { ChoiceField } from '../../ui/Choice.tsx';
import { words } from '../../words/words.ts';

const historyChoices = [0, 7, 30, 90, 365] as const;

/** How much older mail to import with a mailbox. */
export function HistoryChoice() {
  return (
    <ChoiceField
      label={words('mailboxes.olderMail')}
      name="historyDays"
      defaultValue="0"
      options={historyChoices.map((days) => [
        String(days),
        days === 0 ? words('mailboxes.noOlderMail') : words('mailboxes.daysOfMail', { count: days }),
      ])}
    />
  );
}
