import { expect, it } from 'vitest';
import { calendarText, cardText } from './calendar-text.ts';

const event = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');

it('says what an invitation says', () => {
  const text = calendarText(
    event(
      'DTSTART:20261201T130000Z',
      'DTEND:20261201T140000Z',
      'RRULE:FREQ=WEEKLY',
      'SUMMARY:Review of the pump',
      '  contract',
      'LOCATION:Room 4\\, second floor',
      'DESCRIPTION:Please bring the\\nmeasurements\\; all.',
      'ORGANIZER;CN="Zoe: the boss":mailto:zoe@customer.test',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION:MAILTO:bob@desk.test',
      'BEGIN:VALARM',
      'DESCRIPTION:Alarm',
      'END:VALARM',
    ),
  );
  expect(text).toBe(
    `Review of the pump contract
When: 2026-12-01 13:00 UTC – 2026-12-01 14:00 UTC (repeats)
Where: Room 4, second floor
Organiser: Zoe: the boss <zoe@customer.test>
Guests: bob@desk.test

Please bring the
measurements; all.`,
  );
});

it.each([
  ['a day', ['SUMMARY:x', 'DTSTART;VALUE=DATE:20261224'], 'x\nWhen: 2026-12-24'],
  [
    'a time zone',
    ['SUMMARY:x', 'DTSTART;TZID=Europe/Berlin:20261224T090000'],
    'x\nWhen: 2026-12-24 09:00 Europe/Berlin',
  ],
  ['an odd time', ['SUMMARY:x', 'DTSTART:tomorrow'], 'x\nWhen: tomorrow'],
  ['a cancellation', ['STATUS:CANCELLED', 'SUMMARY:x'], 'Cancelled: x'],
  ['lines that are none', ['???', 'no colon', 'SUMMARY;A="open:x', 'SUMMARY:y'], 'y'],
])('reads %s', (_what, lines, text) => {
  expect(calendarText(event(...lines))).toBe(text);
});

it('says who answers what', () => {
  const reply = event('SUMMARY:Review', 'ATTENDEE;CN=Zoe;PARTSTAT=DECLINED:mailto:zoe@c.test', 'COMMENT:I am away');
  expect(calendarText(reply.replace('BEGIN:VEVENT', 'METHOD:REPLY\r\nBEGIN:VEVENT'))).toBe(
    'Review\nZoe <zoe@c.test>: declined\n\nI am away',
  );
});

it.each([
  [
    'BEGIN:VCARD\nitem1.FN:Zora Quill\nORG:A;B\nADR;TYPE=work:;;Main St 1;Kiel;;24103;DE\nNOTE:a\\nb\nEND:VCARD',
    'Zora Quill\nA, B\nMain St 1, Kiel, 24103, DE\na\nb',
  ],
  [
    'BEGIN:VCARD\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg\nNOTE;QUOTED-PRINTABLE:one =\ntwo',
    'Jörg Müller\none two',
  ],
  ['BEGIN:VCARD\nFN:A\nADR:;;Main St 1\\, rear;Kiel\\;Gaarden;;;\nEND:VCARD', 'A\nMain St 1, rear, Kiel;Gaarden'],
  ['BEGIN:VCARD\nFN:A\nEND:VCARD\nBEGIN:VCARD\nFN:B\nEND:VCARD', 'A\n\nB'],
  ['no card', ''],
])('reads the card %j', (card, text) => {
  expect(cardText(card)).toBe(text);
});

it.each([
  ['quotes', `A${'"'.repeat(400_000)}`],
  ['folds', `A:${'\n '.repeat(200_000)}`],
  ['soft line breaks', 'A;ENCODING=QUOTED-PRINTABLE:=\n'.repeat(20_000)],
  ['escapes', `SUMMARY:${'\\'.repeat(400_000)}`],
  ['semicolons', `${';'.repeat(400_000)}:x`],
])('takes no long over %s', (_what, text) => {
  expect(calendarText(`BEGIN:VEVENT\n${text}\nSUMMARY:x`).length).toBeLessThan(50_000);
  expect(cardText(`BEGIN:VCARD\n${text}\nFN:x`).length).toBeLessThan(50_000);
});
