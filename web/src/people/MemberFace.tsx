import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import styles from './MemberFace.module.css';

export type KnownMember = { userId: string; name: string; email: string };

/** The members of the workspace by account id. Those without a name have their address. */
export function useMembers(): ReadonlyMap<string, KnownMember> {
  const { workspace } = usePlace();
  return useQuery({ ...membersQuery(workspace.id), select: byId }).data ?? none;
}

/** The name of a member by account id. */
export function useNameOf(): (userId: string) => string {
  const members = useMembers();
  return (userId) => members.get(userId)?.name ?? words('event.formerMember');
}

const none: ReadonlyMap<string, KnownMember> = new Map();

function byId(members: readonly { userId: string; name: string | null; email: string }[]) {
  return new Map(members.map(({ userId, name, email }) => [userId, { userId, name: name ?? email, email }]));
}

/** The initials of a colleague; without one, the sign of a ticket that nobody has. */
export function MemberFace({ member, size }: { member: KnownMember | undefined; size: 20 | 24 }) {
  if (member !== undefined) return <Avatar name={member.name} of={member.userId} isTeam size={size} />;
  return (
    <span className={styles.nobody} data-size={size}>
      <Icon name="unassigned" />
    </span>
  );
}
