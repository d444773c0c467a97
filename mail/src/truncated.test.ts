import { describe, expect, test } from 'vitest';
import { mailFingerprint } from './identity.ts';
import { parseMail } from './parse.ts';

const megabytes = (count: number, line: string) => line.repeat((count * 1_048_576) / line.length);
const mailOf = (headers: string, body: string) =>
  Buffer.from(`From: ann@example.org\r\nMessage-ID: <a@example.org>\r\n${headers}\r\n${body}`);

describe('a mail longer than any person writes', () => {
  test('has 4 MiB of its text read, up to the end of a line', async () => {
    const mail = await parseMail(mailOf('', megabytes(6, 'Hello, Bob!\r\n')));
    expect(mail.truncated).toEqual(['text']);
    expect(mail.text).toMatch(/^Hello, Bob!\n(?:.*\n)*Hello, Bob!\n$/);
    expect(mail.text.length).toBeGreaterThan(3_500_000);
    expect(mail.text.length).toBeLessThan(4_194_304);
  });

  test('has 4 MiB of its HTML read over all parts, without a split character', async () => {
    const part = `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${megabytes(3, '€')}\r\n`;
    const mail = await parseMail(mailOf('Content-Type: multipart/mixed; boundary=b\r\n', `${part}${part}--b--`));
    expect(mail.truncated).toEqual(['html']);
    expect(mail.html).not.toContain('\ufffd');
    expect(mail.html?.replaceAll(/[^€]/g, '').length).toBe(Math.floor(4_194_304 / 3));
  });

  test('counts base64 and quoted-printable by their decoded size', async () => {
    const text = megabytes(3.5, 'Grüße und viele ganz gewöhnliche Zeilen von Leuten, die etwas fragen wollen.\n');
    const base64 = Buffer.from(text).toString('base64');
    const quoted = text
      .replaceAll('\n', '=20=\r\n\r\n')
      .replaceAll('ü', '=C3=BC')
      .replaceAll('ß', '=C3=9F')
      .replaceAll('ö', '=C3=B6');
    const headersOf = (encoding: string) =>
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
    const [first, second] = [
      await parseMail(mailOf(headersOf('base64'), base64)),
      await parseMail(mailOf(headersOf('quoted-printable'), quoted)),
    ];
    expect([first.truncated, second.truncated]).toEqual([[], []]);
    expect(second.text.replaceAll(' \n', '\n').trim()).toBe(first.text.trim());
  });

  test('has 256 KiB of its header read, and its body found', async () => {
    const mail = await parseMail(
      mailOf(`Subject: Hello\r\n${megabytes(2, 'X-Filler: a\r\n')}To: bob@example.org\r\n`, 'Text\r\n'),
    );
    expect(mail).toMatchObject({ subject: 'Hello', to: [], text: 'Text\n', truncated: ['header'] });
  });

  test('is another mail when it differs beyond the limit', async () => {
    const raws = ['one', 'two'].map((end) => mailOf('', `${megabytes(6, 'Hello, Bob!\r\n')}${end}`));
    const [one, two] = await Promise.all(raws.map(async (raw) => mailFingerprint(await parseMail(raw), raw)));
    expect(one).not.toBe(two);
  });
});

test('an ordinary mail is not truncated', async () => {
  expect((await parseMail(mailOf('', 'Hello\r\n'))).truncated).toEqual([]);
});
