import { Type } from 'typebox';
import { ids, nullable, timestamp, uuid } from '../http/schema.ts';

export const messageParams = Type.Object({ workspaceId: ids.workspace, messageId: ids.message });

export const inboundAddress = Type.Object({ address: nullable(Type.String()) });

export const quarantineQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});

export const quarantinePage = Type.Object({
  items: Type.Array(
    Type.Object({
      id: uuid,
      messageId: nullable(ids.message),
      ticketId: nullable(ids.ticket),
      size: Type.Integer(),
      reason: nullable(Type.String()),
      receivedAt: timestamp,
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
});
export type QuarantinePage = Type.Static<typeof quarantinePage>;
