import { type TSchema, Type } from 'typebox';
import type {
  AttachmentId,
  CalendarId,
  ContactId,
  MessageId,
  TeamId,
  TicketId,
  UserId,
  WorkspaceId,
} from '../lib/ids.ts';

/** Building blocks of request and answer schemas. */

export const uuid = Type.String({ format: 'uuid' });
const idOf = <Id extends string>() => Type.Unsafe<Id>({ type: 'string', format: 'uuid' });
/** The schemas that give ids of requests their kind. */
export const ids = {
  user: idOf<UserId>(),
  workspace: idOf<WorkspaceId>(),
  ticket: idOf<TicketId>(),
  message: idOf<MessageId>(),
  attachment: idOf<AttachmentId>(),
  contact: idOf<ContactId>(),
  team: idOf<TeamId>(),
  calendar: idOf<CalendarId>(),
};
export const timestamp = Type.String({ format: 'date-time' });
/** A time from 1900 to 2199, so that what is counted from it is a time as well. */
export const timeToCountFrom = { ...timestamp, pattern: '^(?:19|2[01])' };
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Text of one or more lines, stored trimmed. The length counts code points after trimming. */
export const trimmedText = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, 'x-trim': 'stored' });

/** Text that is stored as sent. The length counts after trimming. */
export const textAsSent = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, 'x-trim': 'measured' });

/** Optional text. Empty text counts as absent. */
export const optionalText = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, 'x-trim': 'stored', 'x-empty': 'absent' }));

/** As `snippetOf` reads it. */
export const snippet = Type.String({
  description: 'The beginning of the text, on one line of at most 160 characters.',
});

/** RFC 5321 §4.5.3.1.3. */
const emailLengthMax = 254;
/** Control, invisible and direction-changing characters, which make an address look like another address. */
const unseen =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2028\\u2029' +
  '\\u2060-\\u206f\\ufff9-\\ufffb';
const plainChar = `[^\\s@<>",;:${unseen}]`;
const quotedChar = `(?:[^"\\\\@<>,;${unseen}]|\\\\["\\\\])`;
/** Addresses that `compose.ts` can send to. Encoded words are refused, because some mail programs would decode them. */
export const emailPattern = `^(?!.*=\\?)(?:${plainChar}+|"${quotedChar}+")@${plainChar}+$`;

/** One addr-spec, checked leniently: a plain or quoted local part, an `@`, and a host without spaces. */
export const emailAddress = Type.String({ maxLength: emailLengthMax, pattern: emailPattern, 'x-trim': 'stored' });

export function isEmailAddress(text: string): boolean {
  return text.length <= emailLengthMax && new RegExp(emailPattern).test(text) && text.isWellFormed();
}

/** One of a closed list of words. */
export function oneOf<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

export const workspaceParams = Type.Object({ workspaceId: ids.workspace });
