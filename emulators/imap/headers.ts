/** Headers of a mail as IMAP shows them. Strings hold one byte in each character. */
import { quote } from './command.ts';

export function splitMail(raw: string): { header: string; body: string } {
  if (raw.startsWith('\r\n')) return { header: '\r\n', body: raw.slice(2) };
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? { header: raw, body: '' } : { header: raw.slice(0, end + 4), body: raw.slice(end + 4) };
}

/** @returns the fields with their names and folded lines, in order */
function fieldsOf(header: string): { name: string; text: string }[] {
  return header
    .split(/\r\n(?![ \t])/)
    .filter((text) => text.includes(':'))
    .map((text) => ({ name: text.slice(0, text.indexOf(':')).trim().toLowerCase(), text }));
}

/** The section HEADER.FIELDS, or HEADER.FIELDS.NOT. */
export function pickFields(header: string, names: readonly string[], isNot: boolean): string {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const picked = fieldsOf(header).filter(({ name }) => wanted.has(name) !== isNot);
  return `${picked.map(({ text }) => `${text}\r\n`).join('')}\r\n`;
}

export function fieldOf(header: string, wanted: string): string | null {
  const found = fieldsOf(header).find(({ name }) => name === wanted.toLowerCase());
  if (found === undefined) return null;
  return found.text
    .slice(found.text.indexOf(':') + 1)
    .replace(/\r\n/g, '')
    .trim();
}

export function envelopeOf(raw: string): string {
  const { header } = splitMail(raw);
  const text = (name: string) => quote(fieldOf(header, name));
  const from = addressesOf(fieldOf(header, 'from'));
  const people = (name: string) => {
    const list = addressesOf(fieldOf(header, name));
    return list === 'NIL' && (name === 'sender' || name === 'reply-to') ? from : list;
  };
  const lists = [from, ...['sender', 'reply-to', 'to', 'cc', 'bcc'].map(people)];
  return `(${text('date')} ${text('subject')} ${lists.join(' ')} ${text('in-reply-to')} ${text('message-id')})`;
}

function addressesOf(value: string | null): string {
  if (value === null) return 'NIL';
  const parts = value.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  const addresses = parts.flatMap((part) => {
    const address = /<?([^\s<>@"]+)@([^\s<>@]+?)>?\s*$/.exec(part);
    if (address === null) return [];
    const name = part
      .slice(0, address.index)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    const shown = name === '' ? 'NIL' : quote(name.replace(/\\(.)/g, '$1'));
    return [`(${shown} NIL ${quote(address[1] ?? '')} ${quote(address[2] ?? '')})`];
  });
  return addresses.length === 0 ? 'NIL' : `(${addresses.join('')})`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** An internal date: `"24-Nov-2026 10:00:00 +0000"`. */
export function imapDate(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${two(date.getUTCDate())}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
  return `"${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000"`;
}

/** Reads `24-Nov-2026`, also with a time and a zone. */
export function dateOf(text: string): Date {
  const [, day = '1', month = 'Jan', year = '1970', time = '00:00:00', zone = '+0000'] =
    /^\s*(\d{1,2})-(\w{3})-(\d{4})(?: (\d\d:\d\d:\d\d) ([+-]\d{4}))?/.exec(text) ?? [];
  const number = String(months.indexOf(month) + 1).padStart(2, '0');
  return new Date(`${year}-${number}-${day.padStart(2, '0')}T${time}${zone.slice(0, 3)}:${zone.slice(3)}`);
}
