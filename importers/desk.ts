import type { DeskToken } from '@kontor/mail/desk-tokens.ts';

/** What a converter reads from another help desk, in the words that all of them share. */

export type Person = { email: string; name: string | null };

export type DeskMember = Person & {
  key: string;
  role: 'admin' | 'agent';
  /** False for people who have left. */
  isActive: boolean;
};

export type DeskFile = {
  key: string;
  name: string;
  type: string;
  isInline: boolean;
  /** Where the bytes are on this machine; undefined when they are not here. */
  path: string | undefined;
};

export type DeskMessage = {
  key: string;
  kind: 'customer' | 'answer' | 'note';
  /** A member by key, a person who writes, or a program. */
  author: { member: string } | { contact: Person } | { system: string };
  html: string | null;
  text: string | null;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  at: string;
  /** Message-IDs, with or without brackets. */
  mailIds: readonly string[];
  files: readonly DeskFile[];
};

export type DeskTicket = {
  key: string;
  number: number;
  subject: string;
  status: 'open' | 'pending' | 'closed';
  priority: string | null;
  tags: readonly string[];
  /** A member by key. */
  assignee: string | null;
  requester: Person | null;
  participants: readonly Person[];
  isMail: boolean;
  isSpam: boolean;
  isDeleted: boolean;
  at: string;
  updatedAt: string;
  messages: readonly DeskMessage[];
  /** What the help desk's mails repeat of the conversation, by which answers to them find it. */
  tokens: readonly DeskToken[];
};

/** Something that a converter could not take, and where. */
export type DeskProblem = { where: string; reason: string };

/** A converter hands over what it reads, in any order. */
export type Desk = {
  member(member: DeskMember): void;
  contact(person: Person & { at: string | null }): void;
  ticket(ticket: DeskTicket): Promise<void>;
  problem(where: string, reason: string): void;
};

/** The time as RFC 3339 in UTC with milliseconds; undefined for anything that is no time. */
export function timeOf(value: unknown): string | undefined {
  const time = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  return Number.isNaN(time.getTime()) || time.getTime() < 0 ? undefined : time.toISOString();
}
