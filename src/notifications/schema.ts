import { Type } from 'typebox';
import { nullable, oneOf, timestamp, uuid } from '../platform/schema.ts';

export const notificationParams = Type.Object({ workspaceId: uuid, notificationId: uuid });

export const notificationSchema = Type.Object({
  id: uuid,
  type: oneOf(['mention', 'assignment', 'reply']),
  referenceId: Type.String({ format: 'uuid', description: 'The ticket.' }),
  messageId: nullable(uuid),
  actorId: nullable(uuid),
  title: Type.String(),
  readAt: nullable(timestamp),
  createdAt: timestamp,
});
export type Notification = Type.Static<typeof notificationSchema>;

export const listNotificationsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
});

export const notificationsPage = Type.Object({
  items: Type.Array(notificationSchema),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});
