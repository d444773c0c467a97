import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Icon } from '../../ui/Icon.tsx';
import { inOrder, words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

/** Moves tickets to another mailbox: their next answers leave from its address. */
export function MailboxPicker({ tickets, onChange }: PickerProps) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const choices = mailboxes
    .map(({ id, address }) => ({
      id,
      text: address,
      mark: <Icon name="mail" />,
      isChosen: tickets.every(({ mailboxId }) => mailboxId === id),
      run: () => {
        closeOverlay();
        onChange({ kind: 'fields', fields: { mailboxId: id } });
      },
    }))
    .sort((a, b) => inOrder(a.text, b.text));
  return (
    <Picker
      label={words('command.mailbox')}
      placeholder={words('picker.mailbox')}
      keys={pickerKeys('mailbox')}
      groups={[{ name: words('side.mailboxes'), choices }]}
    />
  );
}
