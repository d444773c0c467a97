/** Says in words what a calendar file (RFC 5545, RFC 5546) and an address card (RFC 6350) hold. */
import { type ContentLine, contentLines, plainValue } from './content-lines.ts';

/** More events or cards are a calendar or an address book, not a mail. */
const ENTRIES_MAX = 20;
const PEOPLE_MAX = 50;

/** The events, tasks and journal entries of a calendar file. Empty when it has none. */
export function calendarText(text: string): string {
  const lines = contentLines(text);
  const method = firstOf(lines, 'METHOD').toUpperCase();
  return entriesOf(lines, /^V(?:EVENT|TODO|JOURNAL)$/)
    .map((entry) => entryText(entry, method))
    .join('\n\n');
}

/** The cards of a vCard file. Empty when it has none. */
export function cardText(text: string): string {
  return entriesOf(contentLines(text), /^VCARD$/)
    .map((card) => {
      const name = firstOf(card, 'FN') || partsOf(writtenOf(card, 'N')).slice(0, 2).toReversed().join(' ');
      return linesOf([
        name,
        firstOf(card, 'TITLE'),
        partsOf(writtenOf(card, 'ORG')).join(', '),
        ...allOf(card, 'TEL').map(({ value }) => plainValue(value)),
        ...allOf(card, 'EMAIL').map(({ value }) => plainValue(value)),
        ...allOf(card, 'ADR').map(({ value }) => partsOf(value).join(', ')),
        ...allOf(card, 'URL').map(({ value }) => plainValue(value)),
        firstOf(card, 'NOTE'),
      ]);
    })
    .join('\n\n');
}

/** The lines of each entry, without those of the entries inside, such as alarms. */
function entriesOf(lines: readonly ContentLine[], kind: RegExp): ContentLine[][] {
  const entries: ContentLine[][] = [];
  let depth = 0;
  for (const line of lines) {
    const isEntry = depth > 0 || kind.test(line.value.trim().toUpperCase());
    if (line.name === 'BEGIN' && isEntry) {
      if (depth === 0) {
        if (entries.length === ENTRIES_MAX) break;
        entries.push([]);
      }
      depth++;
    } else if (line.name === 'END' && depth > 0) depth--;
    else if (depth === 1) entries.at(-1)?.push(line);
  }
  return entries;
}

function entryText(entry: readonly ContentLine[], method: string): string {
  const isCancelled = method === 'CANCEL' || firstOf(entry, 'STATUS').toUpperCase() === 'CANCELLED';
  const answers = method === 'REPLY' || method === 'COUNTER';
  const guests = allOf(entry, 'ATTENDEE').slice(0, PEOPLE_MAX);
  return linesOf([
    isCancelled ? `Cancelled: ${firstOf(entry, 'SUMMARY')}` : firstOf(entry, 'SUMMARY'),
    ...(answers ? guests.map(answerOf) : []),
    labelled('When', timeOf(entry)),
    labelled('Where', firstOf(entry, 'LOCATION')),
    labelled('Organiser', allOf(entry, 'ORGANIZER').map(personOf).join(', ')),
    labelled('Guests', answers ? '' : guests.map(personOf).join(', ')),
    spaced(firstOf(entry, 'DESCRIPTION')),
    spaced(firstOf(entry, 'COMMENT')),
  ]);
}

function timeOf(entry: readonly ContentLine[]): string {
  const start = allOf(entry, 'DTSTART')[0];
  const end = allOf(entry, 'DTEND')[0] ?? allOf(entry, 'DUE')[0];
  const from = start === undefined ? '' : timeText(start);
  const to = end === undefined ? '' : timeText(end);
  const repeats = firstOf(entry, 'RRULE') === '' ? '' : ' (repeats)';
  return `${[from, to].filter(Boolean).join(' – ')}${repeats}`;
}

/** `20261201T130000Z` as `2026-12-01 13:00 UTC`. A time that cannot be read stays as it is written. */
function timeText(line: ContentLine): string {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?$/.exec(line.value.trim());
  if (match === null) return plainValue(line.value);
  const [, year, month, day, hour, minute, isUtc] = match;
  const zone = isUtc === 'Z' ? 'UTC' : (line.parameters.get('TZID') ?? '');
  return hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${hour}:${minute} ${zone}`.trim();
}

function answerOf(guest: ContentLine): string {
  const answer = guest.parameters.get('PARTSTAT')?.toLowerCase() ?? '';
  return answer === '' ? personOf(guest) : `${personOf(guest)}: ${answer}`;
}

function personOf(line: ContentLine): string {
  const address = plainValue(line.value).replace(/^mailto:/i, '');
  const name = line.parameters.get('CN') ?? '';
  return name === '' || name === address ? address : `${name} <${address}>`;
}

function labelled(label: string, value: string): string {
  return value === '' ? '' : `${label}: ${value}`;
}

function spaced(value: string): string {
  return value === '' ? '' : `\n${value}`;
}

function linesOf(lines: readonly string[]): string {
  return lines.filter(Boolean).join('\n').trim();
}

function allOf(lines: readonly ContentLine[], name: string): ContentLine[] {
  return lines.filter((line) => line.name === name && line.value.trim() !== '');
}

function firstOf(lines: readonly ContentLine[], name: string): string {
  return plainValue(writtenOf(lines, name));
}

function writtenOf(lines: readonly ContentLine[], name: string): string {
  return allOf(lines, name)[0]?.value ?? '';
}

/** The parts of a value. Semicolons separate them. */
function partsOf(value: string): string[] {
  return value
    .split(/(?<!\\);/)
    .map(plainValue)
    .filter(Boolean);
}
