import { describe, expect, it } from 'vitest';
import { parseMail } from './parse.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text.replace(/\r?\n/g, '\r\n'), encoding);
const parse = (text: string, encoding?: BufferEncoding) => parseMail(bytes(text, encoding));

describe('parts', () => {
  const png = 'Content-Type: image/png\nContent-Transfer-Encoding: base64\n';

  it('reads the Content-ID of a picture, whatever its disposition', async () => {
    const mail = await parse(`From: a@example.com
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html; charset="'utf-8'"

<p>caf\u00e9 <img src="cid:one%40x"></p>
--b
${png}Content-ID: <one@x>
Content-Disposition: attachment; filename="../../one.png"

AAAA
--b
${png}Content-ID: <two@x>
Content-Disposition: inline

AAAA
--b--
`);
    expect(mail.text).toBe('café');
    expect(mail.attachments).toMatchObject([
      { fileName: 'one.png', contentId: 'one@x' },
      { fileName: null, contentId: 'two@x' },
    ]);
  });

  it('prefers the plain alternative, and converts the HTML when that is empty', async () => {
    const alternative = (plain: string) => `Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain

${plain}
--b
Content-Type: text/html

<p>Rich <a href="https://example.com/x">here</a></p>
--b--`;
    expect((await parse(alternative('Plain'))).text).toBe('Plain');
    expect((await parse(alternative(' '))).text).toBe('Rich here [https://example.com/x]');
  });

  it('keeps every body of an alternative that holds several', async () => {
    const part = (type: string, content: string) => `Content-Type: ${type}\n\n${content}\n`;
    const multipart = (boundary: string, parts: string[]) =>
      `${parts.map((text) => `--${boundary}\n${text}`).join('')}--${boundary}--\n`;
    const mixed = multipart('c', [
      part('text/html', '<p>one</p>'),
      part('application/pdf', 'x'),
      part('text/html', '<p>two</p>'),
    ]);
    const both = multipart('b', [part('text/plain', 'plain'), part('multipart/mixed; boundary=c', mixed)]);
    const mail = await parse(`Content-Type: multipart/alternative; boundary=b\n\n${both}`);
    expect(mail.text).toBe('plain');
    expect(mail.html).toBe('<p>one</p>\n<p>two</p>');
    expect(mail.attachments).toHaveLength(1);
  });

  it('keeps report parts and forwarded mails as attachments with their content', async () => {
    const mail = await parse(`Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

It bounced.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.com
--b
Content-Type: message/rfc822
Content-Disposition: inline

Subject: inner
Content-Type: multipart/mixed; boundary=c

--c

inner text
--c--
--b--
`);
    expect(mail.text).toBe('It bounced.');
    expect(mail.attachments.map((part) => part.contentType)).toEqual(['message/delivery-status', 'message/rfc822']);
    expect(Buffer.from(mail.attachments[0]!.content).toString()).toBe('Reporting-MTA: dns; example.com');
    expect(Buffer.from(mail.attachments[1]!.content).toString()).toMatch(/^Subject: inner.*--c--$/s);
  });

  it.each([
    ["filename*=utf-8'de'na%C3%AFve.txt", 'naïve.txt'],
    ['filename*0*=utf-8\'\'na%C3%AF; filename*1="ve.txt"', 'naïve.txt'],
    ['filename="=?utf-8?Q?na=C3=AFve.txt?="', 'naïve.txt'],
    ['filename=naïve.txt', 'naïve.txt'],
    ['filename="C:\\\\dir\\\\a.txt"', 'a.txt'],
    ['filename="photo\u202egpj.exe"', 'photogpj.exe'],
    ['filename="unclosed.txt', 'unclosed.txt'],
    ['filename=".."', null],
  ])('names an attachment by %s', async (parameter, expected) => {
    const mail = await parse(`Content-Type: application/pdf\nContent-Disposition: attachment; ${parameter}\n\nx`);
    expect(mail.attachments[0]?.fileName).toBe(expected);
  });

  it('guesses a boundary that is missing or wrong', async () => {
    const parts = '--real\nContent-Type: text/plain\n\nText\n--real\nContent-Type: application/pdf\n\nx\n--real--\n';
    for (const boundary of ['', '; boundary=other']) {
      const mail = await parse(`Content-Type: multipart/mixed${boundary}\n\n${parts}`);
      expect(mail.text).toBe('Text');
      expect(mail.attachments).toHaveLength(1);
    }
  });

  it('joins flowed lines and keeps quote depth and the signature mark', async () => {
    const mail = await parse(
      'Content-Type: text/plain; format=flowed\n\nOne \ntwo\n> quoted \n> more\n>> deeper\n-- \nAnn\n',
    );
    expect(mail.text).toBe('One two\n> quoted more\n>> deeper\n-- \nAnn\n');
  });

  it.each([
    ['iso-2022-kr', Buffer.from('\x1b$)C\x0e=:FGGX\x0f', 'latin1'), '스판해'],
    ['utf-7', Buffer.from('caf+AOk- +-'), 'café +'],
    ['hz-gb-2312', Buffer.from('~{<:Ky2;~} ~~'), '己所不 ~'],
    ['UTF-8', Buffer.from('caf\xe9 cr\xe8me br\xfbl\xe9e', 'latin1'), 'café crème brûlée'],
    ['us-ascii', Buffer.from('café'), 'café'],
    ['utf-16', Buffer.from('\xfe\xff\x00\xe9', 'latin1'), 'é'],
    ['"windows-1252', Buffer.from('\x80', 'latin1'), '€'],
  ])('decodes a body in %s', async (charset, content, expected) => {
    const header = Buffer.from(`Content-Type: text/plain; charset=${charset}\n\n`);
    const { text } = await parseMail(Buffer.concat([header, content]));
    expect(text).not.toContain('\ufffd');
    expect(text).toBe(expected);
  });
});

it('loses only the letter at which a raw file name was cut', async () => {
  const name = Buffer.concat([Buffer.from('Rechnung für März – Ü').subarray(0, -1)]);
  const raw = Buffer.concat([
    Buffer.from('From: eva@home.example\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="'),
    name,
    Buffer.from('"\n\nx'),
  ]);
  const { attachments } = await parseMail(raw);
  expect(attachments[0]?.fileName).toBe('Rechnung für März – \ufffd');
});

describe('a body', () => {
  const alternative = (...parts: [type: string, content: string][]) =>
    [
      'From: eva@home.example',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      ...parts.flatMap(([type, content]) => ['--b', `Content-Type: ${type}`, '', content]),
      '--b--',
    ].join('\n');

  it('keeps both plain texts of an alternative when they differ', async () => {
    const raw = alternative(['text/plain', 'The lamp is broken.'], ['text/plain', 'It is the blue one.']);
    expect((await parseMail(Buffer.from(raw))).text).toBe('The lamp is broken.\nIt is the blue one.');
  });

  it('keeps one of two equal plain texts', async () => {
    const raw = alternative(
      ['text/plain', 'The lamp\nis broken.'],
      ['text/plain', 'The lamp is broken.'],
      ['text/plain', 'lamp is'],
      ['text/html', '<p>The lamp is broken.</p>'],
    );
    expect((await parseMail(Buffer.from(raw))).text).toBe('The lamp is broken.');
  });

  it('includes the text after the end of the HTML body', async () => {
    const raw =
      'From: eva@home.example\nContent-Type: text/html\n\n' +
      '<html><head><title>No</title></head><body>Hello</body></html>\n<p>Sent by the shop</p>';
    expect((await parseMail(Buffer.from(raw))).text).toBe('Hello\n\nSent by the shop');
  });
});
