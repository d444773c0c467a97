/** Reads the lines of iCalendar (RFC 5545 §3.1) and vCard (RFC 6350 §3.3), also of the older versions 1.0 and 2.1. */
import { decodeCharset } from '../charset.ts';
import { decodeTransfer } from '../transfer.ts';

export type ContentLine = {
  /** In upper case, without its group. */
  name: string;
  /** Names in upper case. */
  parameters: ReadonlyMap<string, string>;
  /** Still escaped, see `plainValue`. */
  value: string;
};

const LINES_MAX = 5_000;
const NAME_CHARS_MAX = 1_000;
const VALUE_CHARS_MAX = 20_000;

/** Reads as many lines as are in order, and passes over the others. Linear. */
export function contentLines(text: string): ContentLine[] {
  // A quoted-printable value of vCard 2.1 goes on behind a line that ends with an equals sign.
  const unfolded = text.replace(/\r\n?/g, '\n').replace(/\n[ \t]/g, '');
  const lines: ContentLine[] = [];
  let open = '';
  for (const line of unfolded.split('\n').slice(0, LINES_MAX)) {
    const whole = open + line;
    if (whole.endsWith('=') && whole.length < VALUE_CHARS_MAX && /^[^:]{0,200}quoted-printable/i.test(whole)) {
      open = whole.slice(0, -1);
      continue;
    }
    open = '';
    const read = readLine(whole);
    if (read !== null) lines.push(read);
  }
  return lines;
}

function readLine(line: string): ContentLine | null {
  const head = /^(?:[^":]|"[^"]*"){1,1000}?(?=:)/.exec(line.slice(0, NAME_CHARS_MAX))?.[0];
  if (head === undefined) return null;
  const [written = '', ...items] = head.match(/(?:[^";]|"[^"]*")+/g) ?? [];
  const parameters = new Map<string, string>();
  for (const item of items) {
    const [key = '', ...rest] = item.split('=');
    // Version 2.1 writes an encoding or a type without its key.
    if (rest.length === 0) parameters.set(/^(?:quoted-printable|base64)$/i.test(key) ? 'ENCODING' : 'TYPE', key);
    else parameters.set(key.toUpperCase(), rest.join('=').replaceAll('"', ''));
  }
  const name = (written.split('.').at(-1) ?? '').trim().toUpperCase();
  const value = line.slice(head.length + 1, head.length + 1 + VALUE_CHARS_MAX);
  return { name, parameters, value: decoded(value, parameters) };
}

function decoded(value: string, parameters: ReadonlyMap<string, string>): string {
  if (parameters.get('ENCODING')?.toLowerCase() !== 'quoted-printable') return value;
  const bytes = decodeTransfer(Buffer.from(value, 'utf8'), 'quoted-printable');
  return decodeCharset(bytes, parameters.get('CHARSET') ?? 'utf-8').text;
}

/** A value as people read it. */
export function plainValue(value: string): string {
  return value.replace(/\\(.)/gs, (_whole, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped)).trim();
}
