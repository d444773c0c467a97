import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { mailboxesQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';

type Props = { mailboxId: string | null; onChange: (mailboxId: string | null) => void };

/** Chooses the mailbox that sends a new ticket's mail. Without mailboxes there is no choice. */
export function MailboxChoice({ mailboxId, onChange }: Props) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  if (mailboxes.length === 0) return null;
  return (
    <label>
      {words('new.mailbox')}{' '}
      <select value={mailboxId ?? ''} onChange={({ target }) => onChange(target.value === '' ? null : target.value)}>
        <option value="">{words('new.noMailbox')}</option>
        {mailboxes.map(({ id, address }) => (
          <option key={id} value={id}>
            {address}
          </option>
        ))}
      </select>
    </label>
  );
}
