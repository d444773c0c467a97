import { Type } from 'typebox';
import { statuses } from '../../ground/catalog/ticket-status.ts';
import { emailAddress, ids, oneOf, uuid } from '../../ground/http/schema.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { messageCharsMax } from '../../ground/lib/message-length.ts';
import { runActions, savedReplyId } from '../replies/schema.ts';
import { sendAt, unlessReplied } from './scheduled-schema.ts';
import { messageSchema } from './schema.ts';

export const messageBody = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: messageCharsMax,
    'x-trim': 'measured',
    description: 'Derived from `bodyHtml` when missing.',
  }),
);
export const messageBodyHtml = Type.Optional(
  Type.String({ maxLength: 1_000_000, 'x-trim': 'measured', 'x-empty': 'absent' }),
);
export const recipients = Type.Optional(Type.Array(emailAddress, { maxItems: 100 }));

export const fromAddress = Type.Optional({
  ...emailAddress,
  description:
    'With `sendEmail`: one of the `senders` of the mailbox that sends. ' +
    'If missing, the one to which the customer wrote, else the address of the mailbox.',
});

export const attachmentIds = Type.Optional(Type.Array(ids.attachment, { maxItems: 100 }));

export const draftId = Type.Optional(
  Type.String({ format: 'uuid', description: 'Your draft of this text; the same transaction deletes it.' }),
);

export const draftVersion = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'With `draftId`: refuse the text if another tab has saved another version of the draft since.',
  }),
);

export const sendAfterSeconds = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 60, description: 'How long the mail is held back, so that you can cancel it.' }),
);

/** The response to a new message. */
export const appendedMessageSchema = Type.Object({
  ...messageSchema.properties,
  ignoredMentions: Type.Optional(
    Type.Array(ids.user, {
      description: 'Mentions that notify nobody: of people who are not members, or only inside a quote or code.',
    }),
  ),
});

export const quoteKinds = ['none', 'last', 'thread'] as const;
export type QuoteKind = (typeof quoteKinds)[number];

export const appendMessageBody = Type.Object({
  body: messageBody,
  bodyHtml: messageBodyHtml,
  isInternal: Type.Optional(Type.Boolean()),
  sendEmail: Type.Optional(Type.Boolean()),
  toAddresses: recipients,
  ccAddresses: recipients,
  bccAddresses: recipients,
  fromAddress,
  attachmentIds,
  sendAfterSeconds,
  sendAt,
  unlessReplied,
  lastSeenMessageId: Type.Optional(
    Type.Unsafe<MessageId>({
      ...uuid,
      description: 'With `sendEmail`: refuse the answer if a customer or a colleague has written since this message.',
    }),
  ),
  thenStatus: Type.Optional(oneOf(statuses)),
  quote: Type.Optional(
    oneOf(quoteKinds, {
      description:
        'With `sendEmail`: quote below the text what the recipients have seen: the last mail, or all, newest first.',
    }),
  ),
  forwardOf: Type.Optional(
    Type.Unsafe<MessageId>({
      ...uuid,
      description:
        'With `sendEmail` and `toAddresses`: a message of the ticket to forward with its files. Needs no text.',
    }),
  ),
  thenArchive: Type.Optional(Type.Boolean()),
  draftId,
  draftVersion,
  savedReplyId,
  runActions,
});
