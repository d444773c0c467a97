import { useQuery } from '@tanstack/react-query';
import { MemberFace, useMembers } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { membersQuery } from '../../tickets/queries.ts';
import { inOrder, words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { type Choice, Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

export function AssignPicker({ tickets, onChange }: PickerProps) {
  const { workspace, userId: myId } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const known = useMembers();
  const choice = (assigneeId: string | null, text: string, detail?: string): Choice => ({
    id: assigneeId ?? 'nobody',
    text,
    ...(detail === undefined ? {} : { detail }),
    mark: <MemberFace member={assigneeId === null ? undefined : known.get(assigneeId)} size={20} />,
    isChosen: tickets.every((ticket) => ticket.assigneeId === assigneeId),
    run: () => {
      closeOverlay();
      onChange({ kind: 'fields', fields: { assigneeId } });
    },
  });
  // The order: the person, nobody, then the other members by name.
  const others = members
    .filter(({ userId, role }) => userId !== myId && role !== 'viewer')
    .map(({ userId, name, email }) => choice(userId, name ?? email, name === null ? undefined : email))
    .sort((a, b) => inOrder(a.text, b.text));
  const me = members.find(({ userId }) => userId === myId);
  const choices = [
    choice(myId, words('picker.me'), me?.name ?? me?.email),
    choice(null, words('ticket.nobody')),
    ...others,
  ];
  return (
    <Picker
      label={words('command.assign')}
      placeholder={words('picker.assign')}
      keys={pickerKeys('assign')}
      groups={[{ name: words('picker.people'), choices }]}
    />
  );
}
