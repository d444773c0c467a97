import type { AutoReply, NewAutoReply } from './queries.ts';

/** When a reply answers, as people choose it. `dates` answers at any time between two days. */
export type When = 'received' | 'hours' | 'dates';

export type AutoReplyFields = {
  name: string;
  mailboxId: string;
  when: When;
  calendarId: string;
  /** The first and the last day, as a date field has them; empty for none. */
  from: string;
  until: string;
  savedReplyId: string;
};

export const noFields: AutoReplyFields = {
  name: '',
  mailboxId: '',
  when: 'received',
  calendarId: '',
  from: '',
  until: '',
  savedReplyId: '',
};

export function fieldsOf(reply: AutoReply): AutoReplyFields {
  const { name, mailboxId, kind, calendarId, validFrom, validUntil, savedReplyId } = reply;
  return {
    name,
    mailboxId: mailboxId ?? '',
    when: kind === 'received' ? 'received' : calendarId === null ? 'dates' : 'hours',
    calendarId: calendarId ?? '',
    from: validFrom === null ? '' : dayOf(new Date(validFrom)),
    // The end is the midnight after the last day.
    until: validUntil === null ? '' : dayOf(new Date(Date.parse(validUntil) - 1)),
    savedReplyId,
  };
}

export function bodyOf({
  name,
  mailboxId,
  when,
  calendarId,
  from,
  until,
  savedReplyId,
}: AutoReplyFields): NewAutoReply {
  return {
    name,
    savedReplyId,
    mailboxId: mailboxId === '' ? null : mailboxId,
    kind: when === 'received' ? 'received' : 'out_of_hours',
    calendarId: when === 'hours' ? calendarId : null,
    validFrom: from === '' ? null : midnight(from, 0),
    validUntil: until === '' ? null : midnight(until, 1),
  };
}

/** In the time zone of the person. */
function dayOf(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function midnight(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}
