import { useQuery } from '@tanstack/react-query';
import { MemberFace, useMembers } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { membersQuery, teamsQuery } from '../../tickets/queries.ts';
import type { FieldChange } from '../../tickets/ticket-change.ts';
import { Icon } from '../../ui/Icon.tsx';
import { inOrder, words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import { type Choice, Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

/** Assigns tickets to a person, or to a team, which shares them out. */
export function AssignPicker({ tickets, onChange }: PickerProps) {
  const { workspace, userId: myId } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const known = useMembers();
  const set = (fields: FieldChange) => () => {
    closeOverlay();
    onChange({ kind: 'fields', fields });
  };
  const choice = (assigneeId: string | null, text: string, detail?: string): Choice => ({
    id: assigneeId ?? 'nobody',
    text,
    ...(detail === undefined ? {} : { detail }),
    mark: <MemberFace member={assigneeId === null ? undefined : known.get(assigneeId)} size={20} />,
    isChosen: tickets.every((ticket) => ticket.assigneeId === assigneeId),
    run: set({ assigneeId }),
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
  const hasTeam = tickets.some(({ teamId }) => teamId != null);
  const teams = (useQuery(teamsQuery(workspace.id)).data ?? [])
    .filter(({ archivedAt }) => archivedAt === null)
    .map(
      ({ id, name, visibility }): Choice => ({
        id,
        text: name,
        ...(visibility === 'members' && { detail: words('team.restricted') }),
        mark: <Icon name={visibility === 'members' ? 'lock' : 'team'} size={20} />,
        isChosen: tickets.every(({ teamId }) => teamId === id),
        run: set({ teamId: id }),
      }),
    );
  const noTeam: Choice = {
    id: 'noTeam',
    text: words('ticket.noTeam'),
    mark: <Icon name="close" size={20} />,
    isChosen: false,
    run: set({ teamId: null }),
  };
  // A ticket that is not made yet begins in the team of its mailbox.
  const isMade = tickets.every((ticket) => ticket.teamId !== undefined);
  const teamChoices = !isMade ? [] : hasTeam ? [noTeam, ...teams] : teams;
  return (
    <Picker
      label={words('command.assign')}
      placeholder={words('picker.assign')}
      keys={pickerKeys('assign')}
      groups={[
        { name: words('picker.people'), choices },
        ...(teamChoices.length > 0 ? [{ name: words('side.teams'), choices: teamChoices }] : []),
      ]}
    />
  );
}
