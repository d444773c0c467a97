/** Says in words what a part holds, for a mail that has no text beside it. */
import { cleanText } from '../charset.ts';
import { decodeWords, oneLine } from '../encoded-words.ts';
import { fieldOf } from '../header-fields.ts';
import { withLineFeeds } from '../line-ends.ts';
import type { MimePart } from '../mime-tree.ts';
import { calendarText, cardText } from './calendar-text.ts';
import { contentOf, fileNameOf } from './read-part.ts';
import { decodeText } from './text-charset.ts';

/** Longer files are calendars and address books, and no message. */
const FILE_BYTES_MAX = 400_000;

const CALENDAR = /^(?:text\/(?:x-)?(?:calendar|vcalendar|ics)|application\/(?:x-)?(?:ics|calendar|vcalendar))$/;
const CARD = /^(?:text|application)\/(?:x-)?(?:vcard|directory)$/;
/** Reports whose fields people can read. */
const FIELDS = new RegExp(
  '^message/(?:global-)?(?:delivery-status|disposition-notification|headers)$' +
    '|^message/feedback-report$|^text/rfc822-headers$',
);

/** The words of an invitation, an address card or the fields of a report. Empty for any other part. */
export function wordsOfFile(raw: Buffer, part: MimePart, charsets: readonly string[]): string {
  const name = fileNameOf(part)?.toLowerCase() ?? '';
  const type = part.contentType.value;
  const words = wordsBy(type, name);
  if (words === undefined || (part.bodyEnd - part.bodyStart) / 3 > FILE_BYTES_MAX) return '';
  const content = contentOf(raw, part);
  const label = part.contentType.parameters.get('charset') ?? null;
  return content.length > FILE_BYTES_MAX
    ? ''
    : cleanText(words(withLineFeeds(decodeText(content, label, charsets).text)));
}

function wordsBy(type: string, name: string): ((text: string) => string) | undefined {
  if (CALENDAR.test(type) || /\.(?:ics|vcs)$/.test(name)) return calendarText;
  if (CARD.test(type) || name.endsWith('.vcf')) return cardText;
  return FIELDS.test(type) ? (text) => text.trim() : undefined;
}

/** The words of a mail that another mail encloses: what it is about, from whom, of when, and its text. */
export function wordsOfMail({ fields }: MimePart, text: string): string {
  const head = ['subject', 'from', 'date'].map((name) => oneLine(decodeWords(fieldOf(fields, name) ?? '')));
  return `${head.filter(Boolean).join('\n')}\n\n${text.trim()}`.trim();
}
