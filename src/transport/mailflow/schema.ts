import { Type } from 'typebox';
import { ids, nullable, timestamp, uuid } from '../../ground/http/schema.ts';

export const messageParams = Type.Object({ workspaceId: ids.workspace, messageId: ids.message });

export const inboundAddress = Type.Object({ address: nullable(Type.String()) });

export const quarantineQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});

export const quarantineParams = Type.Object({ workspaceId: ids.workspace, rawMailId: uuid });

const quarantined = {
  id: uuid,
  messageId: nullable(ids.message),
  ticketId: nullable(ids.ticket),
  ticketNumber: nullable(Type.Integer()),
  size: Type.Integer(),
  reason: nullable(Type.String()),
  envelopeFrom: nullable(Type.String({ description: 'The address of MAIL FROM, empty for `<>`.' })),
  envelopeTo: Type.Array(Type.String()),
  receivedAt: timestamp,
};
export const quarantinePage = Type.Object({
  items: Type.Array(Type.Object(quarantined)),
  nextCursor: Type.Optional(Type.String()),
});
export type QuarantinePage = Type.Static<typeof quarantinePage>;

export const quarantinedMail = Type.Object({
  ...quarantined,
  beginning: nullable(
    Type.String({ description: 'The first 8 KiB of the mail as text. Null if its bytes were lost.' }),
  ),
});
