import { words } from '../../words/words.ts';
import { canSend, ownAddress } from './sender.ts';
import type { Sender } from './use-sender.ts';

type Props = { from: Sender; onChange: (mailboxId: string | null) => void };

/** Chooses the mailbox that sends a new ticket's mail. Without mailboxes there is no choice. */
export function MailboxChoice({ from, onChange }: Props) {
  const { mailboxes, hasSmtp, sender, remember } = from;
  if (mailboxes.length === 0) return null;
  return (
    <label>
      {words('new.mailbox')}{' '}
      <select
        value={sender ?? ''}
        onChange={({ target: { value } }) => {
          remember(value);
          onChange(value === ownAddress ? null : value);
        }}
      >
        {sender === null && <option value="">{words('new.noneSends')}</option>}
        {mailboxes.map((mailbox) => (
          <option key={mailbox.id} value={mailbox.id}>
            {canSend(mailbox) ? mailbox.address : words('new.cannotSend', { address: mailbox.address })}
          </option>
        ))}
        <option value={ownAddress} disabled={!hasSmtp}>
          {words(hasSmtp ? 'new.noMailbox' : 'new.noMailServer')}
        </option>
      </select>
    </label>
  );
}
