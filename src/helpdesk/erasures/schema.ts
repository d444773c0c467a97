import { Type } from 'typebox';
import { emailAddress, ids, nullable, timestamp, uuid } from '../../ground/http/schema.ts';

export const erasureSchema = Type.Object({
  id: uuid,
  contactId: ids.contact,
  requestedBy: nullable(ids.user),
  requestedAt: timestamp,
  finishedAt: nullable(Type.String({ format: 'date-time', description: 'Null while the work goes on.' })),
  ticketsDeleted: Type.Integer(),
  ticketsKept: Type.Integer({ description: 'Tickets in which others take part.' }),
  messagesErased: Type.Integer(),
});
export type Erasure = Type.Static<typeof erasureSchema>;

export const erasurePreviewSchema = Type.Object({
  emails: Type.Array(Type.String()),
  ticketsDeleted: Type.Integer({ description: 'Tickets in which nobody else takes part: they are deleted.' }),
  ticketsKept: Type.Integer({ description: 'Tickets that others take part in: the person’s messages become stubs.' }),
  messages: Type.Integer({ description: 'Messages that go, with the answers in deleted tickets.' }),
  files: Type.Integer(),
  erasure: nullable(erasureSchema),
});
export type ErasurePreview = Type.Static<typeof erasurePreviewSchema>;

export const eraseBody = Type.Object({
  email: Type.String({
    ...emailAddress,
    description: 'An address of the contact, typed again.',
  }),
  password: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Your own. An account without one omits it and must have signed in within the last 10 minutes.',
    }),
  ),
});
