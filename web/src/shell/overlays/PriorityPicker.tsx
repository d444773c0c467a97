import { PriorityMark } from '../../tickets/Marks.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

const priorities = ['urgent', 'high', 'normal', 'low'] as const;

export function PriorityPicker({ tickets, onChange }: PickerProps) {
  const choices = priorities.map((priority) => ({
    id: priority,
    text: words(`priority.${priority}`),
    mark: <PriorityMark priority={priority} />,
    isChosen: tickets.every((ticket) => ticket.priority === priority),
    run: () => {
      closeOverlay();
      onChange({ kind: 'fields', fields: { priority } });
    },
  }));
  return (
    <Picker
      label={words('command.priority')}
      placeholder={words('command.priority')}
      keys={pickerKeys('priority')}
      groups={[{ name: words('ticket.priority'), choices }]}
    />
  );
}
