import type { Message } from '../../api/client.ts';
import { personOf } from '../../tickets/persons.ts';
import { Avatar } from '../../ui/Avatar.tsx';

/** The initials of a message's author. */
export function AuthorFace({ message, size }: { message: Message; size: 24 | 32 }) {
  const { type, userId, email, name } = message.author;
  return (
    <Avatar
      name={name ?? personOf(message)}
      of={userId ?? email ?? name ?? ''}
      isTeam={type !== 'customer'}
      size={size}
    />
  );
}
