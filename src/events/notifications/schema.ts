import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, uuid } from '../../ground/http/schema.ts';
import { notificationTypes } from './rules.ts';

export const notificationParams = Type.Object({ workspaceId: ids.workspace, notificationId: uuid });

export const notificationSchema = Type.Object({
  id: uuid,
  type: oneOf(notificationTypes),
  referenceId: Type.String({
    format: 'uuid',
    description:
      'The ticket. Of several it is the last one of a bulk change, or the first one of a mailbox. For type `mailbox` ' +
      'the mailbox, for `rule_paused` the rule, for `team` the team.',
  }),
  messageId: nullable(ids.message),
  mailboxId: nullable({
    ...uuid,
    description: 'Of types `new_ticket` and `unassigned_reply`: the mailbox of the tickets, if they have one.',
  }),
  actorId: nullable(ids.user),
  title: Type.String(),
  count: Type.Integer({
    description:
      'Number of tickets, or of replies in unassigned tickets: more than 1 after a bulk change, or in a mailbox.',
  }),
  readAt: nullable(timestamp),
  createdAt: timestamp,
});
export type Notification = Type.Static<typeof notificationSchema>;

export const listNotificationsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
  // The cursor may hold the snapshot of a busy database.
  cursor: Type.Optional(Type.String({ maxLength: 8_000 })),
  unread: Type.Optional(Type.Boolean({ description: 'Only unread notifications, as of the first page.' })),
});

export const notificationsPage = Type.Object({
  items: Type.Array(notificationSchema),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});

export const countAnswer = Type.Object({ count: Type.Integer() });
