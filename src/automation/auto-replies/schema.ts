import { Type } from 'typebox';
import { ids, nullable, oneOf, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';
import type { CalendarId } from '../../ground/lib/ids.ts';
import { withheldReasons } from '../machine-mail/withheld.ts';

export const autoRepliesMax = 50;
export const autoReplyNameMax = 100;

export const autoReplyKinds = ['received', 'out_of_hours'] as const;
export type AutoReplyKind = (typeof autoReplyKinds)[number];

export const autoReplyParams = Type.Object({ workspaceId: ids.workspace, autoReplyId: uuid });

const fields = {
  mailboxId: nullable({ ...uuid, description: 'Null: every mailbox, and mail that the service receives by SMTP.' }),
  kind: oneOf(autoReplyKinds, {
    description:
      '`received` answers the mail that opens a ticket, `out_of_hours` the first mail since a person answered.',
  }),
  calendarId: nullable(
    Type.Unsafe<CalendarId>({
      ...uuid,
      description: 'Of `out_of_hours`: the hours outside of which it answers. Null: at any time between its dates.',
    }),
  ),
  validFrom: nullable({ ...timestamp, description: 'It answers from then on. Null: at once.' }),
  validUntil: nullable({ ...timestamp, description: 'It answers until then. Null: without an end.' }),
  savedReplyId: Type.String({
    format: 'uuid',
    description: 'A saved reply that all members share. Its text is mailed.',
  }),
};

export const autoReplySchema = Type.Object({
  id: uuid,
  name: Type.String(),
  ...fields,
  isActive: Type.Boolean(),
  sentToday: Type.Integer({ description: 'How many it sent in the last 24 hours.' }),
  withheldToday: Type.Array(Type.Object({ reason: oneOf(withheldReasons), count: Type.Integer() }), {
    description: 'How many mails it did not answer in the last 24 hours, and why; the most frequent first.',
  }),
  version: Type.Integer(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type AutoReply = Type.Static<typeof autoReplySchema>;

export const autoAnswerSchema = Type.Object({
  id: uuid,
  autoReplyId: nullable(uuid),
  autoReplyName: nullable(Type.String({ description: 'Null: the automatic reply is deleted.' })),
  messageId: Type.String({ format: 'uuid', description: 'The mail that asked for an answer.' }),
  replyId: nullable({ ...uuid, description: 'The answer; null if none was sent.' }),
  withheld: nullable(oneOf(withheldReasons, { description: 'Why none was sent.' })),
  at: timestamp,
});
export type AutoAnswer = Type.Static<typeof autoAnswerSchema>;

export const createAutoReplyBody = Type.Object({
  name: trimmedText(1, autoReplyNameMax),
  mailboxId: Type.Optional(fields.mailboxId),
  kind: fields.kind,
  calendarId: Type.Optional(fields.calendarId),
  validFrom: Type.Optional(fields.validFrom),
  validUntil: Type.Optional(fields.validUntil),
  savedReplyId: fields.savedReplyId,
  isActive: Type.Optional(Type.Boolean({ default: false })),
});
export type CreateAutoReply = Type.Static<typeof createAutoReplyBody>;
export const updateAutoReplyBody = Type.Partial(createAutoReplyBody);
export type UpdateAutoReply = Type.Static<typeof updateAutoReplyBody>;

export const pauseSchema = Type.Object({
  mailboxId: nullable({ ...uuid, description: 'Null: mail that the service receives by SMTP.' }),
  pausedAt: timestamp,
});
export const resumeBody = Type.Object({ mailboxId: nullable(uuid) });
