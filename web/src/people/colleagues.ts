import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { type PresentPerson, presenceQuery } from '../tickets/presence.ts';
import { membersQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';

export type Colleague = PresentPerson & { name: string };

const nobody: readonly Colleague[] = [];

/** The colleagues at a ticket now, writers first. */
export function useColleagues(ticketId: string): readonly Colleague[] {
  const { workspace, userId } = usePlace();
  const present = useQuery({ ...presenceQuery(workspace.id), select: (presence) => presence[ticketId] }).data;
  const members = useQuery({ ...membersQuery(workspace.id), enabled: present !== undefined }).data ?? [];
  if (present === undefined) return nobody;
  const nameOf = (id: string) => {
    const member = members.find((one) => one.userId === id);
    return member?.name ?? member?.email ?? words('people.somebody');
  };
  return present
    .filter((person) => person.userId !== userId)
    .map((person) => ({ ...person, name: nameOf(person.userId) }))
    .sort((a, b) => Number(b.state !== 'viewing') - Number(a.state !== 'viewing'));
}

/** A sentence about the present work of a colleague. */
export function doingWords({ name, state }: Colleague): string {
  return words(`people.${state}`, { person: name });
}
