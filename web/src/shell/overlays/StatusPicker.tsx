import { StatusDot } from '../../tickets/Marks.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

const statuses = ['open', 'pending', 'closed'] as const;

export function StatusPicker({ tickets, onChange }: PickerProps) {
  const choices = statuses.map((status) => ({
    id: status,
    text: words(`status.${status}`),
    mark: <StatusDot status={status} />,
    isChosen: tickets.every((ticket) => ticket.status === status),
    run: () => {
      closeOverlay();
      onChange({ kind: 'fields', fields: { status } });
    },
  }));
  return (
    <Picker
      label={words('command.status')}
      placeholder={words('command.status')}
      keys={pickerKeys('status')}
      groups={[{ name: words('ticket.status'), choices }]}
    />
  );
}
