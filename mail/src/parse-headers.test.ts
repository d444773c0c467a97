import { describe, expect, it } from 'vitest';
import { parseMail } from './parse.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text.replace(/\r?\n/g, '\r\n'), encoding);
const parse = (text: string, encoding?: BufferEncoding) => parseMail(bytes(text, encoding));

describe('headers', () => {
  it('reads people, subject, dates and ids of a plain mail', async () => {
    const mail = await parse(`Received: from a by b; Fri, 20 Nov 2026 19:05:02 +0000
From: "Ann Example" <ann@example.com>
To: Team: one@example.com, Two <two@example.com>;, three@example.com
Cc: undisclosed-recipients:;
Subject: Hello
 there
Date: Fri, 20 Nov 2026 20:05:01 +0100
Message-ID: <a.1@example.com>
In-Reply-To: <p.1@example.com>
References: <r.1@example.com>,<r.2@example.com>
	p.1@example.com
Delivered-To: box@example.com

Body
`);
    expect(mail).toMatchObject({
      from: { name: 'Ann Example', email: 'ann@example.com' },
      cc: [],
      subject: 'Hello there',
      date: new Date('2026-11-20T19:05:01Z'),
      receivedAt: new Date('2026-11-20T19:05:02Z'),
      messageId: 'a.1@example.com',
      inReplyTo: ['p.1@example.com'],
      references: ['r.1@example.com', 'r.2@example.com', 'p.1@example.com'],
      deliveredTo: ['box@example.com'],
      text: 'Body\n',
      html: null,
      defects: [],
    });
    expect(mail.to.map((address) => address.email)).toEqual([
      'one@example.com',
      'two@example.com',
      'three@example.com',
    ]);
  });

  it.each([
    [
      'the last server',
      ['by b.example with ESMTP for <info@example.com>; Fri, 20 Nov 2026 19:05:02 +0000'],
      ['info@example.com'],
    ],
    ['Exim', ['by b.example with esmtp (Exim) id x for Info@Example.com; Fri'], ['Info@Example.com']],
    [
      'a server that passes mail on within itself',
      [
        'from b.example by B.example with LMTP id x (envelope-from <ann@a.test>) for <box@example.com>; Fri',
        'from a.test (a.test [192.0.2.1]) by b.example (Postfix) for <info@example.com>; Fri',
        'from laptop by a.test with ESMTPSA for <eve@a.test>; Fri',
      ],
      ['box@example.com', 'info@example.com'],
    ],
    ['a server before the last', ['from a.test by b.example; Fri', 'by a.test for <eve@a.test>; Fri'], []],
    ['no server', ['for <eve@a.test>; Fri', 'for <eve@a.test>; Fri'], []],
    ['a comment', ['from x (by a.test for <eve@a.test>) by b.example; Fri'], []],
    ['many recipients', ['by b.example for <multiple recipients>; Fri'], []],
  ])('reads at which address it came in by Received of %s', async (_what, received, expected) => {
    const fields = received.map((value) => `Received: ${value}\n`).join('');
    expect((await parse(`${fields}To: info@example.com\n\nBody\n`)).deliveredTo).toEqual(expected);
  });

  it.each([
    ['=?utf-8?Q?caf=C3=A9?=', 'café'],
    ['=?utf-8?Q?caf=C3?= =?utf-8?Q?=A9_au?= lait', 'café au lait'],
    ['=?utf-8?B?Y2Fmw?= =?utf-8?B?6k=?=', 'café'],
    ['=?gb2312?B?xOO6ww==?=', '你好'],
    ['=?ks_c_5601-1987?B?vbrGx8fY?=', '스판해'],
    ['=?iso-8859-1*en?Q?caf=E9_=93x=94?=', 'café “x”'],
    ['=?iso-2022-jp?B?GyRCJDkkXiQ7JHMbKEI=?=', 'すません'],
    ['=?x-nonsense?Q?caf=C3=A9?=', 'café'],
    ['=?x-nonsense?Q?caf=E9?=', 'café'],
    ['=?utf-8?B?44G+44G/', 'まみ'],
    ['a =? b ?= c', 'a =? b ?= c'],
    ['=?utf-8?Q?a?=b=?utf-8?Q?c?=', 'abc'],
  ])('decodes the subject %s', async (written, expected) => {
    const { subject } = await parse(`From: a@b.c\nSubject: ${written}\n\n`);
    expect(subject).toBe(expected);
  });

  it('reads raw UTF-8, raw windows-1252 and the charset of the body', async () => {
    expect((await parse('Subject: café\n\n')).subject).toBe('café');
    expect((await parse('Subject: caf\xe9 \x93x\x94\n\n', 'latin1')).subject).toBe('café “x”');
    const russian = await parse('Subject: \xf0\xf2\xe9\nContent-Type: text/plain; charset=koi8-r\n\n', 'latin1');
    expect(russian.subject).toBe('ПРИ');
  });

  it('does not let an encoded word forge an address', async () => {
    const forged = Buffer.from('Eve <eve@evil.example>, x').toString('base64');
    const { from, to } = await parse(
      `From: =?utf-8?B?${forged}?= <ann@example.com>\nTo: =?utf-8?B?${forged}?= <b@example.com>\n\n`,
    );
    expect(from).toEqual({ name: 'Eve <eve@evil.example>, x', email: 'ann@example.com' });
    expect(to).toHaveLength(1);
  });

  it('uses the first of two From fields, and reports the defect', async () => {
    const mail = await parse('From: a@example.com\nFrom: b@example.com\nSubject: x\n\n');
    expect(mail.from?.email).toBe('a@example.com');
    expect(mail.defects).toContain('more than one From');
  });

  it.each([
    ['words', 'Dear all,\nwe are closed.\n'],
    ['words below an empty line', '\r\nDear all,\nwe are closed.\n'],
    ['words, of which a later line has a colon', 'Dear all,\nplease: read\n\nthis.\n'],
  ])('takes %s without any header as the text', async (_name, raw) => {
    const mail = await parseMail(Buffer.from(raw));
    expect(mail).toMatchObject({ from: null, subject: '', headers: [], html: null, attachments: [] });
    expect(mail.text.trim()).toBe(raw.trim());
    expect(mail.defects).toContain('no header');
  });

  it('repairs a fold without its blank and a header without its empty line', async () => {
    const folded = await parse('Subject: one\ntwo\nFrom: a@example.com\n\nBody');
    expect(folded).toMatchObject({ subject: 'one two', from: { email: 'a@example.com' }, text: 'Body' });
    const cut = await parse('From: a@example.com\nSubject: x\nHello, this is text.\nMore.');
    expect(cut.text).toBe('Hello, this is text.\nMore.');
  });

  it.each([
    'Message-ID: nobrackets@example.com',
    'Message-ID: <nobrackets@example.com',
    'Message-ID: <nobrackets@\n example.com>',
    'Message-Id:<nobrackets@example.com> (comment)',
  ])('reads the id of %j', async (line) => {
    expect((await parse(`${line}\nFrom: a@b.c\n\n`)).messageId).toBe('nobrackets@example.com');
  });

  it('leaves out ids of more than 998 characters', async () => {
    const mail = await parse(`References: <${'x'.repeat(999)}@a> <b@a>\n\n`);
    expect(mail.references).toEqual(['b@a']);
  });

  it.each([
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
    ['21 Nov 97 9:55 GMT', '1997-11-21T09:55:00.000Z'],
    ['Fri, 21 Nov 1997 09(comment):   55  :  06 -0600', '1997-11-21T15:55:06.000Z'],
    ['Mon, 1 Feb 2021 10:00:00 PST (x)', '2021-02-01T18:00:00.000Z'],
    ['2021-02-01T10:00:00+01:00', '2021-02-01T09:00:00.000Z'],
    ['Tue, 30 Feb 2021 10:00:00 +0000', null],
    ['yesterday', null],
    ['Wed, 1 Jan 99999 00:00:00 +0000', null],
  ])('reads the date %s', async (written, expected) => {
    expect((await parse(`Date: ${written}\n\n`)).date?.toISOString() ?? null).toBe(expected);
  });
});

describe('raw bytes inside encoded words', () => {
  it.each([
    ['in the charset of the word', Buffer.from('=?iso-8859-1?Q?Fr\xf6sche?=', 'latin1'), 'Frösche'],
    ['in another charset of one byte', Buffer.from('=?koi8-r?Q?=FA\xc1\xcb\xc1=DA?=', 'latin1'), 'Заказ'],
    ['beside words without them', Buffer.from('=?utf-8?Q?=C3=A4?= =?iso-8859-1?q?_\xf6?=', 'latin1'), 'ä ö'],
    ['in UTF-8', Buffer.from('=?iso-8859-1?Q?Frösche_=FC?='), 'Frösche ü'],
    ['in UTF-8, in a word of UTF-8', Buffer.from('=?utf-8?Q?Frösche_=C3=BC?='), 'Frösche ü'],
  ])('are read %s', async (_how, subject, expected) => {
    const raw = Buffer.concat([Buffer.from('From: a@b.c\r\nSubject: '), subject, Buffer.from('\r\n\r\n')]);
    expect((await parseMail(raw)).subject).toBe(expected);
  });
});
