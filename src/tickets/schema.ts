import { Type } from 'typebox';
import {
  emailAddress,
  nullable,
  oneOf,
  optionalText,
  textAsSent,
  timestamp,
  trimmedText,
  uuid,
} from '../platform/schema.ts';
import { statuses } from './status.ts';

export const ticketParams = Type.Object({ workspaceId: uuid, ticketId: uuid });

const person = Type.Object({ email: Type.String(), name: nullable(Type.String()) });
const status = oneOf(statuses);

export const ticketSchema = Type.Object({
  id: uuid,
  ticketNumber: Type.Integer(),
  subject: Type.String(),
  status,
  priority: Type.String(),
  assigneeId: nullable(uuid),
  tags: Type.Array(Type.String()),
  requester: nullable(person),
  channel: oneOf(['api', 'email']),
  mailboxId: nullable(uuid),
  archivedAt: nullable(timestamp),
  snoozedUntil: nullable(timestamp),
  mergedIntoId: nullable(uuid),
  messageCount: Type.Integer(),
  lastMessageAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
  version: Type.Integer(),
});
export type Ticket = Type.Static<typeof ticketSchema>;

const attachmentSchema = Type.Object({
  id: uuid,
  fileName: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  contentId: nullable(Type.String()),
  isInline: Type.Boolean(),
  createdAt: timestamp,
});

export const messageSchema = Type.Object({
  id: uuid,
  ticketId: uuid,
  direction: oneOf(['inbound', 'outbound', 'internal']),
  author: Type.Object({
    type: oneOf(['customer', 'agent', 'system']),
    userId: nullable(uuid),
    name: nullable(Type.String()),
    email: nullable(Type.String()),
  }),
  body: Type.String(),
  bodyHtml: nullable(Type.String({ description: 'Sanitised; inline images are kept as cid: references.' })),
  replyText: nullable(
    Type.String({
      description: 'What the writer added to the text quoted in `body`; null when the whole body is new.',
    }),
  ),
  isInternal: Type.Boolean(),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  attachments: Type.Array(attachmentSchema),
  delivery: nullable(
    Type.Object({
      status: oneOf(['queued', 'sending', 'sent', 'failed', 'bounced', 'uncertain', 'cancelled']),
      error: nullable(Type.String()),
      sentAt: nullable(timestamp),
      attempts: Type.Integer(),
      nextAttemptAt: nullable(timestamp),
    }),
  ),
  automaticKind: nullable(
    Type.String({ description: 'What made the mail, when it was a machine: auto-reply, list, bounce, delay, …' }),
  ),
  createdAt: timestamp,
});
export type Message = Type.Static<typeof messageSchema>;

export const ticketWithMessagesSchema = Type.Object({
  ...ticketSchema.properties,
  messages: Type.Array(messageSchema),
});

const subject = trimmedText(1, 500);
const body = textAsSent(1, 200_000);
const priority = trimmedText(1, 32);
const tags = Type.Array(trimmedText(1, 64), { maxItems: 10_000, description: 'At most 50 different ones.' });
const requester = Type.Object({ email: emailAddress, name: Type.Optional(nullable(trimmedText(0, 200))) });

export const createTicketBody = Type.Object({
  subject,
  body,
  requester: Type.Optional(nullable(requester)),
  priority: Type.Optional(priority),
  tags: Type.Optional(tags),
  assigneeId: Type.Optional(nullable(uuid)),
});

export const updateTicketBody = Type.Object({
  subject: Type.Optional(subject),
  assigneeId: Type.Optional(nullable(uuid)),
  priority: Type.Optional(priority),
  tags: Type.Optional(tags),
  requester: Type.Optional(nullable(requester)),
});

const recipients = Type.Optional(Type.Array(emailAddress, { maxItems: 100 }));

export const appendMessageBody = Type.Object({
  body,
  bodyHtml: Type.Optional(Type.String({ maxLength: 1_000_000, 'x-trim': 'measured', 'x-empty': 'absent' })),
  isInternal: Type.Optional(Type.Boolean()),
  sendEmail: Type.Optional(Type.Boolean()),
  toAddresses: recipients,
  ccAddresses: recipients,
  attachmentIds: Type.Optional(Type.Array(uuid, { maxItems: 100 })),
});

export const changeStatusBody = Type.Object({ toStatus: status, reason: optionalText(1_000) });

export const sortKeys = ['lastMessageAt', 'createdAt', 'updatedAt', 'priority'] as const;

export const listTicketsQuery = Type.Object({
  status: Type.Optional(Type.Array(status, { maxItems: 100, description: 'Any of these.' })),
  assignee: Type.Optional(Type.String({ maxLength: 36, description: 'A user id, `me` or `none`.' })),
  priority: Type.Optional(Type.String({ maxLength: 32 })),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50, description: 'All of these.' })),
  search: Type.Optional(Type.String({ description: 'Words, "a phrase", -without, or; #123 or 123; a Message-ID.' })),
  archived: Type.Optional(oneOf(['true', 'false', 'any'])),
  snoozed: Type.Optional(Type.Boolean()),
  sort: Type.Optional(oneOf(sortKeys)),
  order: Type.Optional(oneOf(['asc', 'desc'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000, description: 'From the `Link` header of the page before.' })),
  count: Type.Optional(Type.Boolean({ default: true, description: 'Whether to send `x-total-count`.' })),
});
export type ListTicketsQuery = Type.Static<typeof listTicketsQuery>;

const eventSchema = Type.Object({
  id: uuid,
  type: Type.String(),
  actor: Type.Object({
    type: oneOf(['customer', 'agent', 'system']),
    userId: nullable(uuid),
    name: nullable(Type.String()),
  }),
  data: Type.Object({}, { additionalProperties: true }),
  createdAt: timestamp,
});

export const eventsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
});

export const eventsPage = Type.Object({ items: Type.Array(eventSchema), nextCursor: Type.Optional(Type.String()) });
