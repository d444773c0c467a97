import { Type } from 'typebox';
import { causeKinds, causes } from '../../ground/catalog/cause.ts';
import { spamReasons } from '../../ground/catalog/spam.ts';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import {
  emailAddress,
  ids,
  nullable,
  oneOf,
  optionalText,
  snippet,
  timestamp,
  trimmedText,
  uuid,
} from '../../ground/http/schema.ts';
import { draftHead } from '../messages/draft-schema.ts';
import {
  attachmentIds,
  draftId,
  draftVersion,
  fromAddress,
  messageBody,
  messageBodyHtml,
  recipients,
  sendAfterSeconds,
} from '../messages/new-message-schema.ts';
import { sendAt, unlessReplied } from '../messages/scheduled-schema.ts';
import { deliveryProblems, directions, messageSchema, trash } from '../messages/schema.ts';
import { runActions, savedReplyId } from '../replies/schema.ts';

export const ticketParams = Type.Object({ workspaceId: ids.workspace, ticketId: ids.ticket });
export const ticketNumberParams = Type.Object({
  workspaceId: ids.workspace,
  ticketNumber: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The number that people see.' }),
});

const requesterSchema = Type.Object({ contactId: ids.contact, email: Type.String(), name: nullable(Type.String()) });
export const statusSchema = oneOf(statuses);

const lastMessage = Type.Object({
  id: ids.message,
  direction: oneOf(directions),
  authorName: nullable(Type.String()),
  snippet,
});

export const ticketSchema = Type.Object({
  id: ids.ticket,
  ticketNumber: Type.Integer(),
  subject: Type.String(),
  status: statusSchema,
  priority: Type.String(),
  assigneeId: nullable(ids.user),
  teamId: nullable(ids.team),
  tags: Type.Array(Type.String()),
  requester: nullable(requesterSchema),
  channel: oneOf(['api', 'email']),
  mailboxId: nullable(uuid),
  archivedAt: nullable(timestamp),
  trashedAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when the ticket is in the trash. It is deleted for good 30 days later.',
    }),
  ),
  spamAt: nullable(
    Type.String({
      format: 'date-time',
      description:
        'Since when the ticket is spam. It is deleted for good 30 days later, or 30 days after its last mail.',
    }),
  ),
  spamReason: nullable(oneOf(spamReasons)),
  snoozedUntil: nullable(timestamp),
  mergedIntoId: nullable(ids.ticket),
  messageCount: Type.Integer(),
  lastMessage: nullable(lastMessage),
  lastMessageAt: timestamp,
  attachmentCount: Type.Integer({ description: 'Files of its messages, without pictures inside their text.' }),
  deliveryProblem: nullable(oneOf(deliveryProblems)),
  waitingSince: nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when a customer waits for an answer; null for a closed ticket.',
    }),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
  version: Type.Integer(),
});
export type Ticket = Type.Static<typeof ticketSchema>;

/** A ticket after a change. */
export const changedTicketSchema = Type.Object({
  ...ticketSchema.properties,
  isHidden: Type.Optional(
    Type.Boolean({ description: 'True: the change has moved the ticket to a team whose tickets you do not see.' }),
  ),
});
export type ChangedTicket = Type.Static<typeof changedTicketSchema>;

/** A ticket as one member sees it. */
export const listedTicketSchema = Type.Object({
  ...ticketSchema.properties,
  unread: Type.Boolean({
    description: 'Whether a customer wrote, or somebody mentioned you, since you last saw the ticket.',
  }),
  hasDraft: Type.Boolean({ description: 'Whether you have begun an answer or a note.' }),
  matches: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only in the answer to a search: words of the subject and the snippet that it found, as written.',
    }),
  ),
});
export type ListedTicket = Type.Static<typeof listedTicketSchema>;

export const ticketWithMessagesSchema = Type.Object({
  ...listedTicketSchema.properties,
  messages: Type.Array(messageSchema),
  earlierCursor: nullable(
    Type.String({ description: 'Set when `messages` holds only the newest. Pass it as `before` to get earlier ones.' }),
  ),
  drafts: Type.Array(draftHead, {
    description: 'Who is writing an answer or a note. Only the authors see the texts.',
  }),
  replyDefaults: Type.Object(
    { to: Type.Array(Type.String()), cc: Type.Array(Type.String()) },
    { description: 'The recipients of a reply to all.' },
  ),
  replyOffers: Type.Array(Type.String(), {
    description:
      'Other people whom the answered mail names, at most 10. Nothing proves that its sender named them, so they are ' +
      'no default. Offer them.',
  }),
});

export const readTicketQuery = Type.Object({
  trash,
  messages: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'How many of the newest messages to return. Default: all.' }),
  ),
});
export type ReadTicketQuery = Type.Static<typeof readTicketQuery>;

const subject = trimmedText(1, 500);
const priority = trimmedText(1, 32);
const tagList = Type.Array(trimmedText(1, 64), { maxItems: 10_000, description: 'At most 50 distinct tags.' });
const requester = Type.Object({ email: emailAddress, name: Type.Optional(nullable(trimmedText(0, 200))) });

export const createTicketBody = Type.Object({
  subject,
  body: messageBody,
  requester: Type.Optional(nullable(requester)),
  priority: Type.Optional(priority),
  tags: Type.Optional(tagList),
  assigneeId: Type.Optional(nullable(ids.user)),
  teamId: Type.Optional(nullable({ ...ids.team, description: 'If missing, the team of the mailbox.' })),
  bodyHtml: messageBodyHtml,
  sendEmail: Type.Optional(
    Type.Boolean({
      description: 'Mail the first message, then written by you, to `toAddresses`, else to the requester.',
    }),
  ),
  toAddresses: recipients,
  ccAddresses: recipients,
  bccAddresses: recipients,
  fromAddress,
  attachmentIds,
  draftId,
  draftVersion,
  sendAfterSeconds,
  sendAt,
  unlessReplied,
  savedReplyId,
  runActions,
  mailboxId: Type.Optional(
    Type.Union([uuid, Type.Null()], {
      description:
        'The mailbox that sends the ticket’s mail. If missing, your last one that can send, else the first that can. ' +
        'Null asks for the mail server of the service, where it has one.',
    }),
  ),
});

const fieldsToChange = {
  subject: Type.Optional(subject),
  assigneeId: Type.Optional(nullable(ids.user)),
  teamId: Type.Optional(nullable(ids.team)),
  priority: Type.Optional(priority),
  tags: Type.Optional(tagList),
  requester: Type.Optional(nullable(requester)),
  mailboxId: Type.Optional(
    Type.Union([uuid, Type.Null()], {
      description: 'The mailbox that sends the answers from now on. Null: the mail server of the service.',
    }),
  ),
  snoozedUntil: Type.Optional(
    Type.Union([timestamp, Type.Null()], { description: 'In the future; null ends the snooze.' }),
  ),
};
export const updateTicketBody = Type.Object(fieldsToChange);

/** All that a change of a ticket may name. What it does not name stays as it is. */
export const ticketChangeSchema = Type.Object({
  ...fieldsToChange,
  addTags: Type.Optional(tagList),
  removeTags: Type.Optional(tagList),
  status: Type.Optional(statusSchema),
  reason: optionalText(1_000),
  archive: Type.Optional(Type.Boolean({ description: 'False unarchives tickets.' })),
  spam: Type.Optional(Type.Boolean({ description: 'True marks tickets as spam, false brings them back.' })),
  trash: Type.Optional(Type.Boolean({ description: 'True moves tickets to the trash, false restores them.' })),
});
export type TicketChange = Type.Static<typeof ticketChangeSchema>;

export const applyReplyBody = Type.Object({ savedReplyId: uuid });

export const changeStatusBody = Type.Object({ toStatus: statusSchema, reason: optionalText(1_000) });

export const sortKeys = ['lastMessageAt', 'createdAt', 'updatedAt', 'priority', 'waitingSince'] as const;

const namedByCauses = Object.entries(causes)
  .flatMap(([kind, named]) => (named === null ? [] : [`${named} (\`${kind}\`)`]))
  .join('; ');
const causeSchema = Type.Object(
  {
    kind: oneOf(causeKinds),
    id: { ...nullable(uuid), description: `Of: ${namedByCauses}.` },
    depth: Type.Optional(
      Type.Integer({ description: 'Of rules and automatic replies: how many led here, one after the other.' }),
    ),
  },
  { description: 'What led to the event. An event that somebody made by hand has none.' },
);

const eventSchema = Type.Object({
  id: uuid,
  type: Type.String(),
  actor: Type.Object({
    type: oneOf(['customer', 'agent', 'system']),
    userId: nullable(ids.user),
    name: nullable(Type.String()),
  }),
  data: Type.Object({}, { additionalProperties: true }),
  otherNumber: Type.Optional(
    Type.Integer({ description: 'The number of the ticket that was merged or split, unless you do not see it.' }),
  ),
  cause: Type.Optional(causeSchema),
  createdAt: timestamp,
});

export const eventsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
  trash,
});

export const eventsPage = Type.Object({ items: Type.Array(eventSchema), nextCursor: Type.Optional(Type.String()) });
