import { Type } from 'typebox';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import {
  ids,
  nullable,
  oneOf,
  optionalText,
  textAsSent,
  timestamp,
  trimmedText,
  uuid,
} from '../../ground/http/schema.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { attachmentSchema, type StoredAttachment } from '../files/schema.ts';
import { messageBodyHtml, quoteKinds } from './new-message-schema.ts';

const draftKinds = ['answer', 'note', 'ticket'] as const;
export type DraftKind = (typeof draftKinds)[number];

/** Accepts any text: an address that is still being typed may not be valid yet. */
const typedAddresses = Type.Array(Type.String({ maxLength: 320 }), { maxItems: 100 });
export const attachmentsMax = 100;

const startsAs = nullable(
  Type.Object(
    {
      status: oneOf(statuses),
      assigneeId: nullable(ids.user),
      tags: Type.Array(trimmedText(1, 64), { maxItems: 50 }),
    },
    { description: 'What the new ticket will start as; null when nothing was chosen.' },
  ),
);

export const draftSchema = Type.Object({
  id: uuid,
  ticketId: nullable(ids.ticket),
  ticket: nullable(
    Type.Object({ ticketNumber: Type.Integer(), subject: Type.String() }, { description: 'Null for a new ticket.' }),
  ),
  kind: oneOf(draftKinds, { description: '`ticket`: the draft of a new ticket.' }),
  subject: Type.String(),
  body: Type.String(),
  bodyHtml: nullable(Type.String()),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String()),
  mailboxId: nullable(uuid),
  fromAddress: nullable(Type.String({ description: 'The address from which the mail is to leave, if one is chosen.' })),
  lastSeenMessageId: nullable(ids.message),
  quote: nullable(oneOf(quoteKinds, { description: 'What the answer will quote; null when nothing was chosen.' })),
  forwardOf: nullable(Type.Unsafe<MessageId>({ ...uuid, description: 'The message that the answer will forward.' })),
  savedReplyId: nullable(Type.String({ format: 'uuid', description: 'The saved reply that the text comes from.' })),
  runActions: Type.Boolean({ description: 'Whether sending runs the actions of the saved reply.' }),
  startsAs,
  attachments: Type.Array(attachmentSchema),
  version: Type.Integer(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Draft = Type.Static<typeof draftSchema>;
export type StoredDraft = Omit<Draft, 'attachments'> & { attachments: StoredAttachment[] };

/** Shows colleagues that a member is writing, without the text. */
export const draftHead = Type.Object({
  id: uuid,
  userId: ids.user,
  kind: oneOf(['answer', 'note']),
  updatedAt: timestamp,
});
export type DraftHead = Type.Static<typeof draftHead>;

const draftText = {
  body: Type.Optional(textAsSent(0, 200_000)),
  bodyHtml: messageBodyHtml,
  to: Type.Optional(typedAddresses),
  cc: Type.Optional(typedAddresses),
  bcc: Type.Optional(typedAddresses),
  fromAddress: Type.Optional(nullable(Type.String({ maxLength: 320 }))),
  attachmentIds: Type.Optional(Type.Array(ids.attachment, { maxItems: attachmentsMax })),
  savedReplyId: Type.Optional(nullable(uuid)),
  runActions: Type.Optional(Type.Boolean()),
};
const newTicketText = {
  ...draftText,
  subject: optionalText(500),
  mailboxId: Type.Optional(nullable(uuid)),
  startsAs: Type.Optional(startsAs),
};
const versionMax = 2_147_483_647;
const seenVersion = Type.Integer({ minimum: 1, maximum: versionMax, description: 'The version that you saw last.' });
const version = Type.Integer({
  minimum: 0,
  maximum: versionMax,
  description: 'The version that you saw last; 0 when there was no draft.',
});

const seenDraftId = Type.Optional(
  Type.String({ format: 'uuid', description: 'The draft that you saw last: refuse if another has taken its place.' }),
);

const beginKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x20-\\x7e]*$',
    description:
      'With version 0: a key of your own that begins one draft. Once that is sent or discarded, a late save under ' +
      'the same key gets 404 `draft.not_found`.',
  }),
);

export const createDraftBody = Type.Object(newTicketText);
export const putDraftBody = Type.Object({ ...newTicketText, version: seenVersion });
export const putAnswerBody = Type.Object({
  ...draftText,
  lastSeenMessageId: Type.Optional(nullable(ids.message)),
  quote: Type.Optional(nullable(oneOf(quoteKinds))),
  forwardOf: Type.Optional(nullable(ids.message)),
  version,
  draftId: seenDraftId,
  beginKey,
});
export type DraftText = Omit<
  Type.Static<typeof putDraftBody> & Type.Static<typeof putAnswerBody>,
  'version' | 'draftId' | 'beginKey'
>;

export const discardDraftQuery = Type.Object({ version: Type.Optional(version) });
export const discardAnswerQuery = Type.Object({ version: Type.Optional(version), draftId: seenDraftId });

export const draftParams = Type.Object({ workspaceId: ids.workspace, draftId: uuid });

export const listDraftsQuery = Type.Object({
  ticketId: Type.Optional(ids.ticket),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
export const draftsPage = Type.Object({ items: Type.Array(draftSchema), nextCursor: Type.Optional(Type.String()) });
