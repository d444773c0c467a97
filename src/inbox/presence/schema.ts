import { Type } from 'typebox';
import { ids, nullable, oneOf } from '../../ground/http/schema.ts';

const presenceStates = ['viewing', 'answering', 'noting'] as const;
export type PresenceState = (typeof presenceStates)[number];

export const putPresenceBody = Type.Object({
  state: nullable(oneOf([...presenceStates, 'left'], { description: '`left` or null: no longer at the ticket.' })),
});

const person = Type.Object({ userId: ids.user, state: oneOf(presenceStates) });
export type PresentPerson = Type.Static<typeof person>;
const people = Type.Array(person, { description: 'Who is at the ticket now, in the order of arrival.' });

export const presentPeople = Type.Object({ people });
export const presenceOfWorkspace = Type.Object({ tickets: Type.Array(Type.Object({ ticketId: ids.ticket, people })) });
