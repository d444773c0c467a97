import { canSend } from '../../tickets/mailbox-state.ts';
import { Select } from '../../ui/Select.tsx';
import { words } from '../../words/words.ts';
import styles from '../new-ticket/NewTicketPage.module.css';
import { ownAddress } from './sender.ts';
import type { Sender } from './use-sender.ts';

type Props = { from: Sender; onChange: (mailboxId: string | null) => void };

/** Chooses the mailbox that sends a new ticket's mail. Without mailboxes there is no choice. */
export function MailboxChoice({ from, onChange }: Props) {
  const { mailboxes, hasSmtp, sender, remember } = from;
  if (mailboxes.length === 0) return null;
  const none = sender === null ? [{ value: '', text: words('new.noneSends') }] : [];
  const options = [
    ...none,
    ...mailboxes.map((mailbox) => ({
      value: mailbox.id,
      text: canSend(mailbox) ? mailbox.address : words('new.cannotSend', { address: mailbox.address }),
    })),
    { value: ownAddress, text: words(hasSmtp ? 'new.noMailbox' : 'new.noMailServer'), isDisabled: !hasSmtp },
  ];
  return (
    <div className={styles.line}>
      <span className={styles.label}>{words('new.mailbox')}</span>
      <Select
        label={words('new.mailbox')}
        value={sender ?? ''}
        options={options}
        onChange={(value) => {
          remember(value);
          onChange(value === ownAddress ? null : value);
        }}
      />
    </div>
  );
}
