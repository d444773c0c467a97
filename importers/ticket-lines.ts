import { htmlToText } from '@kontor/mail/html/html-text.ts';
import type { AttachmentRecord } from '../src/operations/transfer/record-fields.ts';
import type { DeskFile, DeskMember, DeskMessage, DeskTicket, Person } from './desk.ts';
import { stableId } from './stable-id.ts';

export type FileCopier = {
  count: number;
  /** Undefined: the file is not there. */
  take(path: string): Promise<{ sha256: string; sizeBytes: number } | undefined>;
};

/** What the lines of a ticket name. */
export type Links = {
  source: string;
  /** @returns the id of the contact, who is new at this time if nobody knows them */
  contact(person: Person, at: string): string;
  memberId(key: string): string | null;
  memberOf(key: string): DeskMember | undefined;
  files: FileCopier;
  problem(where: string, reason: string): void;
};

const tagCharsMax = 64;
const tagsMax = 50;
const mailIdBytesMax = 512;

/** The lines of a ticket in an export, without its end. */
export async function ticketLines(ticket: DeskTicket, links: Links): Promise<object[]> {
  const messages: object[] = [];
  for (const message of [...ticket.messages].sort((a, b) => (a.at < b.at ? -1 : 1)))
    messages.push(await messageLine(message, `ticket ${ticket.key}`, links));
  return [ticketLine(ticket, links), ...messages, createdLine(ticket, links)];
}

function ticketLine(ticket: DeskTicket, { source, contact, memberId, memberOf, problem }: Links): object {
  const { key, number, status, at, updatedAt, requester, assignee } = ticket;
  const where = `ticket ${key}`;
  const member = assignee === null ? undefined : memberOf(assignee);
  if (assignee !== null && member === undefined) problem(where, `nobody knows the assignee ${assignee}`);
  const people = [...(requester === null ? [] : [requester]), ...ticket.participants];
  const ids = [...new Set(people.map((person) => contact(person, at)))].sort();
  const tags = [...new Set(ticket.tags.map((tag) => storable(tag).trim().slice(0, tagCharsMax)))].filter(Boolean);
  if (tags.length > tagsMax) problem(where, `has ${tags.length} tags, of which ${tagsMax} are kept`);
  return {
    kind: 'ticket',
    id: stableId(source, 'ticket', key, at),
    number,
    subject: storable(ticket.subject).slice(0, 10_000),
    status,
    priority: ticket.priority ?? 'normal',
    // Nobody can be assigned who has left.
    assigneeId: member?.isActive === true ? memberId(member.key) : null,
    tags: tags.slice(0, tagsMax),
    requesterId: requester === null ? null : contact(requester, at),
    channel: channelOf(ticket),
    ...(status === 'closed' && { closedAt: updatedAt }),
    // Spam stands only in its own list.
    ...(ticket.isSpam && { spamAt: updatedAt, archivedAt: updatedAt }),
    ...(ticket.isDeleted && { trashedAt: updatedAt }),
    createdAt: at,
    updatedAt,
    participants: ids.map((contactId) => ({ contactId, isKnown: true })),
    threadTokens: [...ticket.tokens],
  };
}

function createdLine(ticket: DeskTicket, { source }: Links): object {
  return {
    kind: 'event',
    id: stableId(source, 'event', ticket.key, ticket.at),
    type: 'ticket.created',
    actorType: 'system',
    data: { channel: channelOf(ticket) },
    createdAt: ticket.at,
  };
}

const channelOf = ({ isMail }: DeskTicket): string => (isMail ? 'email' : 'api');
const directions = { customer: 'inbound', answer: 'outbound', note: 'internal' };

async function messageLine(message: DeskMessage, where: string, links: Links): Promise<object> {
  const { kind, html, text, at, to, cc, bcc } = message;
  const mailIds = [...new Set(message.mailIds.map((each) => each.trim().replace(/^<|>$/g, '')))].filter(
    (each) => each !== '' && Buffer.byteLength(each) <= mailIdBytesMax,
  );
  const attachments: AttachmentRecord[] = [];
  for (const file of message.files) attachments.push(...(await attach(file, { at, where }, links)));
  return {
    kind: 'message',
    id: stableId(links.source, 'message', message.key, at),
    direction: directions[kind],
    ...authorOf(message, links),
    body: storable(text ?? (html === null ? '' : htmlToText(html))),
    bodyHtml: html === null ? null : storable(html),
    toAddresses: [...to],
    ccAddresses: [...cc],
    bccAddresses: [...bcc],
    rfcMessageId: mailIds[0] ?? null,
    mailIds,
    ...(kind === 'answer' && { deliveryStatus: 'sent', deliverySentAt: at }),
    createdAt: at,
    attachments,
  };
}

function authorOf({ author, at }: DeskMessage, { contact, memberId, memberOf }: Links): object {
  if ('contact' in author) {
    const { email: authorEmail, name: authorName } = author.contact;
    return { authorType: 'customer', authorContactId: contact(author.contact, at), authorName, authorEmail };
  }
  if ('system' in author) return { authorType: 'system', authorName: author.system };
  const { name = null, email = null } = memberOf(author.member) ?? {};
  return { authorType: 'agent', authorUserId: memberId(author.member), authorName: name, authorEmail: email };
}

async function attach(
  file: DeskFile,
  { at, where }: { at: string; where: string },
  { source, files, problem }: Links,
): Promise<AttachmentRecord[]> {
  const kept = file.path === undefined ? undefined : await files.take(file.path);
  if (kept === undefined) {
    problem(where, `the file ${file.name} (${file.key}) is not there`);
    return [];
  }
  const id = stableId(source, 'file', file.key, at);
  const contentType = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';
  return [
    { id, fileName: cut(file.name, 255) || 'file', contentType, isInline: file.isInline, createdAt: at, ...kept },
  ];
}

/** PostgreSQL takes neither U+0000 nor halves of surrogate pairs. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

export function cut<Text extends string | null>(text: Text, charsMax: number): Text {
  return (text === null ? null : storable(text).slice(0, charsMax)) as Text;
}
