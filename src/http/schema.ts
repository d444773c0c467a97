import { type TSchema, Type } from 'typebox';

/** Building blocks of the rooms' wire shapes. */

export const uuid = Type.String({ format: 'uuid' });
export const timestamp = Type.String({ format: 'date-time' });
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Text of one line or more, its length in code points after trimming; stored trimmed. */
export const trimmedText = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, 'x-trim': 'stored' });

/** Text whose length counts trimmed and that is stored as sent. */
export const textAsSent = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, 'x-trim': 'measured' });

/** Optional text of which an empty one counts as left out. */
export const optionalText = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, 'x-trim': 'stored', 'x-empty': 'absent' }));

/** RFC 5321 §4.5.3.1.3. */
const emailLengthMax = 254;
/** Controls, and what is not seen or turns the reading direction: the address would look like another. */
const unseen =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2028\\u2029\\u2060-\\u206f\\ufff9-\\ufffb';
/** What mail can be sent to (`compose.ts`), and no encoded word, which some mail programs would decode. */
const emailPattern = `^(?!.*=\\?)(?:[^\\s@<>",;:${unseen}]+|"(?:[^"\\\\@<>,;${unseen}]|\\\\["\\\\])+")@[^\\s@<>",;:${unseen}]+$`;

/** One addr-spec, leniently: a local part, plain or quoted, an `@`, and a host without spaces. */
export const emailAddress = Type.String({ maxLength: emailLengthMax, pattern: emailPattern, 'x-trim': 'stored' });

export function isEmailAddress(text: string): boolean {
  return text.length <= emailLengthMax && new RegExp(emailPattern).test(text) && text.isWellFormed();
}

/** One of a closed list of words. */
export function oneOf<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

export const workspaceParams = Type.Object({ workspaceId: uuid });
