import { describe, expect, it } from 'vitest';
import { parseMail } from '../parse.ts';

type Part = [fields: string, content: string];

const bytesOf = (text: string) => Buffer.from(text.replace(/\n/g, '\r\n'));
const partOf = ([type, content]: Part) => `Content-Type: ${type}\n\n${content}\n`;
const multipart = (kind: string, parts: Part[]): Part => [
  `multipart/${kind}; boundary=${kind}`,
  `${parts.map((part) => `--${kind}\n${partOf(part)}`).join('')}--${kind}--`,
];

async function read(part: Part, header = '') {
  const mail = await parseMail(bytesOf(`From: a@b.test\n${header}${partOf(part)}`));
  return {
    text: mail.text.trim(),
    html: mail.html?.trim() ?? null,
    files: mail.attachments.map((file) => file.fileName),
  };
}

const inline = '\nContent-Disposition: inline';
const attached = '\nContent-Disposition: attachment';
const pdf: Part = [`application/pdf; name=a.pdf${attached}`, '%PDF'];

describe('the body', () => {
  it.each<[string, Part, object]>([
    [
      'a text with a name, when no other text is there',
      multipart('mixed', [[`text/plain; name="message.txt"${inline}`, 'The whole message'], pdf]),
      { text: 'The whole message', files: ['a.pdf'] },
    ],
    [
      'alternatives with names',
      multipart('alternative', [
        [`text/plain; name="body.txt"${inline}`, 'The plain words'],
        [`text/html; name="body.html"${inline}`, '<p>The html words</p>'],
      ]),
      { text: 'The plain words', html: '<p>The html words</p>', files: [] },
    ],
    [
      'HTML with a name beside empty text',
      multipart('alternative', [
        ['text/plain', ' '],
        [`text/html; name="body.html"${inline}`, '<p>Words</p>'],
      ]),
      { text: 'Words', files: [] },
    ],
    [
      'the root of related parts, whatever its name',
      multipart('mixed', [multipart('related', [[`text/html; name="b.html"${inline}`, 'Words'], pdf])]),
      { text: 'Words', files: ['a.pdf'] },
    ],
    [
      'the text, and a text with a name is a file',
      multipart('mixed', [
        ['text/plain', 'Hello'],
        [`text/plain; name="log.txt"${inline}`, 'line 1'],
      ]),
      { text: 'Hello', files: ['log.txt'] },
    ],
    [
      'a shown text with a name beside an empty one, and it stays a file',
      multipart('mixed', [
        ['text/plain', ''],
        [`text/plain; name="log.txt"${inline}`, 'line 1'],
      ]),
      { text: 'line 1', files: ['log.txt'] },
    ],
    [
      'nothing, when the only text is attached',
      multipart('mixed', [
        ['text/plain', ''],
        [`text/plain; name="log.txt"${attached}`, 'line 1'],
      ]),
      { text: '', files: ['log.txt'] },
    ],
    ['a whole mail that calls itself attached', [`text/plain${attached}`, 'Hello'], { text: 'Hello', files: [] }],
    [
      'without the forms for watches and interactive readers',
      multipart('alternative', [
        ['text/plain', 'plain'],
        ['text/x-amp-html', '<html amp4email>amp'],
        ['text/watch-html', '<b>watch</b>'],
        ['text/enriched', '<bold>old</bold>'],
        ['text/html', '<p>html</p>'],
      ]),
      { text: 'plain', html: '<p>html</p>', files: [] },
    ],
    [
      'old rich text that stands alone',
      multipart('alternative', [['text/enriched', 'old']]),
      { text: 'old', files: [] },
    ],
  ])('is %s', async (_what, part, expected) => {
    expect(await read(part)).toMatchObject(expected);
  });
});

describe('a mail without text', () => {
  const event =
    'BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nSUMMARY:Review of the pump contract\nEND:VEVENT\nEND:VCALENDAR';
  const card = 'BEGIN:VCARD\nVERSION:3.0\nFN:Zora Quill\nTEL:+49 30 7654\nEND:VCARD';
  const enclosed = 'From: Zoe <zoe@c.test>\nSubject: =?utf-8?Q?Angebot_f=C3=BCr/gegen?=\n\nInner words.\n';
  it.each<[string, Part, string, (string | null)[]]>([
    ['an invitation', ['text/calendar; method=REQUEST', event], 'Review of the pump contract', [null]],
    [
      'an invitation beside empty text',
      multipart('alternative', [
        ['text/plain', '\n'],
        ['text/calendar; method=REQUEST', event],
      ]),
      'Review of the pump contract',
      [null],
    ],
    [
      'the same invitation twice',
      multipart('mixed', [
        ['text/calendar', event],
        [`application/ics; name="invite.ics"${attached}`, event],
      ]),
      'Review of the pump contract',
      [null, 'invite.ics'],
    ],
    [
      'a calendar of unknown type',
      [`application/octet-stream; name="a.ics"`, event],
      'Review of the pump contract',
      ['a.ics'],
    ],
    [
      'an address card',
      multipart('mixed', [['text/x-vcard; name="z.vcf"', card]]),
      'Zora Quill\n+49 30 7654',
      ['z.vcf'],
    ],
    [
      'fields of a report',
      multipart('report', [['message/disposition-notification', 'Disposition: manual-action; displayed']]),
      'Disposition: manual-action; displayed',
      [null],
    ],
    [
      'an enclosed mail',
      multipart('mixed', [
        ['text/plain', ''],
        ['message/rfc822', enclosed],
      ]),
      'Angebot für/gegen\nZoe <zoe@c.test>\n\nInner words.',
      ['Angebot für_gegen.eml'],
    ],
  ])('has the words of %s, and keeps the file', async (_what, part, text, files) => {
    expect(await read(part)).toMatchObject({ text, files });
  });

  it.each<[string, Part]>([
    [
      'text',
      multipart('mixed', [
        ['text/plain', 'Hello'],
        ['text/calendar', event],
      ]),
    ],
    [
      'a picture in its HTML',
      multipart('mixed', [
        ['text/html', '<img src="cid:a">'],
        ['text/vcard', card],
      ]),
    ],
  ])('takes no words of files when it has %s', async (_what, part) => {
    expect((await read(part)).text).not.toMatch(/Review|Zora/);
  });

  it('names an enclosed mail after its subject', async () => {
    const mail = (subject: string): Part => ['message/rfc822', `${subject}\n\nx`];
    const parts: Part[] = [['text/plain', 'See'], mail('Subject: a/b'), mail('From: c@d.test'), mail('Subject: .. ')];
    expect((await read(multipart('mixed', parts))).files).toEqual(['a_b.eml', null, null]);
  });
});

describe('the charset', () => {
  const windows1251 = (text: string) =>
    Buffer.from([...text].map((char) => (char.charCodeAt(0) > 0x7f ? char.charCodeAt(0) - 0x350 : char.charCodeAt(0))));
  const bodyOf = async (head: string, content: Uint8Array) =>
    (await parseMail(Buffer.concat([bytesOf(`From: a@b.test\n${head}\n\n`), content]))).text.trim();

  it.each([
    [
      'in a meta element',
      'text/html',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">Заказ',
    ],
    ['in a short meta element', 'text/html; charset=us-ascii', '<META CHARSET=windows-1251>Заказ'],
    ['in an XML declaration', 'text/html', '<?xml version="1.0" encoding="windows-1251"?>Заказ'],
    [
      'beside a comment',
      'text/html; charset=x-unknown',
      '<!-- <meta charset=latin1> --><meta charset="windows-1251">Заказ',
    ],
    ['where the part names a wrong one', 'text/html; charset=utf-8', '<meta charset="windows-1251">Заказ на насос'],
  ])('is the one %s', async (_where, type, html) => {
    expect(await bodyOf(`Content-Type: ${type}`, windows1251(html))).toMatch(/^Заказ/);
  });

  it('is the one of the header words, or of another part, when a text names none', async () => {
    const words = 'Subject: =?windows-1251?Q?=C7=E0=EA=E0=E7?=\nContent-Type: text/plain';
    expect(await bodyOf(words, windows1251('Заказ'))).toBe('Заказ');
    const mixed = Buffer.concat([
      Buffer.from('--B\r\nContent-Type: text/plain\r\n\r\n'),
      windows1251('Заказ'),
      Buffer.from('\r\n--B\r\nContent-Type: text/html\r\n\r\n<meta charset=windows-1251>\r\n--B--'),
    ]);
    expect(await bodyOf('Content-Type: multipart/alternative; boundary=B', mixed)).toBe('Заказ');
  });

  it.each([
    ['valid UTF-8', 'text/html', Buffer.from('<meta charset="windows-1251">Größe')],
    ['a byte order mark', 'text/plain; charset=us-ascii', Buffer.from('\ufeffGröße', 'utf16le')],
    ['the part', 'text/html; charset=iso-8859-1', Buffer.from('<meta charset="koi8-r">Größe', 'latin1')],
    ['a name that cannot be true', 'text/html', Buffer.from('<meta charset="utf-16">Größe', 'latin1')],
  ])('follows %s before a name in the HTML', async (_what, type, content) => {
    expect(await bodyOf(`Content-Type: ${type}`, content)).toBe('Größe');
  });
});

describe('text that says it is base64', () => {
  const bodyOf = async (content: string) =>
    (await parseMail(bytesOf(`From: a@b.test\nContent-Transfer-Encoding: base64\n\n${content}\n`))).text.trim();

  it.each([
    ['Hello, this is plain text.\nMy order number is 4711.'],
    ['Hello'],
    ['Hi\nthe pump (unit 7) is broken, please call me.'],
    ['Größe: 42'],
  ])('is shown when it is none: %j', async (text) => {
    expect(await bodyOf(text)).toBe(text);
  });

  it.each([
    ['SGVsbG8=', 'Hello'],
    ['SGVsbG8gQm9iLCBob3cgYXJlIHlvdT8=\n____\nA footer of the list, in plain words.', /^Hello Bob, how are you\?/],
    ['SGVsbG8gQm9iLCBo\nb3cgYXJlIHlvdT8=', 'Hello Bob, how are you?'],
  ])('is decoded when it is: %j', async (content, text) => {
    expect(await bodyOf(content)).toMatch(text);
  });
});
