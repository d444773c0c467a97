import { v7 } from 'uuid';

declare const kind: unique symbol;
/** A UUIDv7 whose type names the kind of its record. The brand exists only at compile time. */
type Id<Kind extends string> = string & { readonly [kind]: Kind };

export type UserId = Id<'user'>;
export type WorkspaceId = Id<'workspace'>;
export type TicketId = Id<'ticket'>;
export type MessageId = Id<'message'>;
export type AttachmentId = Id<'attachment'>;
export type ContactId = Id<'contact'>;
export type TeamId = Id<'team'>;
export type CalendarId = Id<'calendar'>;
/** An id whose kind its reader knows. */
export type AnyId = Id<never>;

/** A new UUIDv7 in lower case, of any kind. Ids increase within a process. */
export function newId<NewId extends string = string>(): NewId {
  return v7() as NewId;
}

/** The lower bound of the ids made at `time` or later: every earlier id sorts before it. */
export function idAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Sorts before every other id, so scans begin here (RFC 9562 §5.9). */
export const nilId = '00000000-0000-0000-0000-000000000000' as AnyId;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** An id from outside, in lower case; undefined for other text. */
export function readId<ReadId extends string>(text: string): ReadId | undefined {
  return isUuid(text) ? (text.toLowerCase() as ReadId) : undefined;
}
