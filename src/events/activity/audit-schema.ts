import { Type } from 'typebox';
import { type AuditType, auditSubjects } from '../../ground/catalog/audit.ts';
import { ids, nullable, oneOf, timestamp, uuid } from '../../ground/http/schema.ts';

// The cast holds: the keys of `auditSubjects` are exactly the audit types.
const auditTypes = Object.keys(auditSubjects) as AuditType[];

export const auditEntrySchema = Type.Object({
  id: uuid,
  type: oneOf(auditTypes),
  actor: nullable(
    Type.Object(
      {
        userId: ids.user,
        name: nullable(Type.String()),
        apiKeyId: nullable(uuid),
        apiKeyName: nullable(Type.String()),
      },
      { description: 'Who acted, and the API key that acted for them. Null: unknown, or the service itself.' },
    ),
  ),
  subject: Type.Object(
    { type: oneOf([...new Set(Object.values(auditSubjects))]), id: uuid, name: nullable(Type.String()) },
    { description: 'The object of the action, and its name, as far as known. It may no longer exist.' },
  ),
  data: Type.Object({}, { additionalProperties: true }),
  ip: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  correlationId: nullable(Type.String()),
  createdAt: timestamp,
});
export type AuditLogEntry = Type.Static<typeof auditEntrySchema>;

export const auditPage = Type.Object({
  items: Type.Array(auditEntrySchema),
  nextCursor: Type.Optional(Type.String()),
});

export const auditQuery = Type.Object({
  type: Type.Optional(Type.Array(oneOf(auditTypes), { maxItems: 50 })),
  actor: Type.Optional(ids.user),
  from: Type.Optional({ ...timestamp, description: 'At this time or later.' }),
  to: Type.Optional({ ...timestamp, description: 'Before this time.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
export type AuditQuery = Type.Static<typeof auditQuery>;
