import type { components } from '../index.ts';
import { bold, dim, type Output, type Part } from './output.ts';

type Ticket = components['schemas']['Ticket'];
type Message = components['schemas']['Message'];
type Names = ReadonlyMap<string, string>;

/** One line of a list. */
export function ticketLine(ticket: Ticket, names: Names): Part[] {
  const { ticketNumber, status, priority, assigneeId, requester, subject, lastMessageAt, tags } = ticket;
  const who = assigneeId === null ? '–' : (names.get(assigneeId) ?? assigneeId);
  const from = requester === null ? '' : `${requester.name ?? requester.email}: `;
  return [
    bold(`#${ticketNumber}`.padEnd(7)),
    status.padEnd(8),
    (priority === 'normal' ? '' : priority).padEnd(7),
    who.slice(0, 15).padEnd(16),
    dim(shortTime(lastMessageAt)),
    `  ${oneLine(from + subject)}`,
    dim(tags.length === 0 ? '' : `  ${tags.join(', ')}`),
  ];
}

export function showTicket(output: Output, ticket: Ticket & { messages: Message[] }, names: Names): void {
  output.line(...ticketLine(ticket, names));
  for (const message of ticket.messages) {
    output.line();
    output.line(...messageHead(message));
    output.line((message.replyText ?? message.body).trimEnd());
    for (const { fileName, size } of message.attachments) output.line(dim(`[${fileName}, ${size} bytes]`));
  }
}

function messageHead({ author, isInternal, createdAt, to, cc, delivery }: Message): Part[] {
  const kind = isInternal ? ' (note)' : '';
  const recipients = [...to, ...cc].join(', ');
  return [
    bold(`${author.name ?? author.email ?? author.type}${kind}`),
    dim(` ${shortTime(createdAt)}${recipients === '' ? '' : ` to ${recipients}`}`),
    dim(deliveryWords(delivery)),
  ];
}

function deliveryWords(delivery: Message['delivery']): string {
  if (delivery?.isFile === true) return ' [written to a file, not sent]';
  return delivery === null || delivery.status === 'sent' ? '' : ` [${delivery.status}]`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** To the minute, in the time zone of the person. */
function shortTime(time: string): string {
  const at = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
