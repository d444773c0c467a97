import { describe, expect, it } from 'vitest';
import { parseMail } from '../parse.ts';
import { signedContent } from './signed-data.ts';

const oid = (last: number) => der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, last]));
const inner = 'Content-Type: text/plain; charset=utf-8\r\n\r\nMy order 4711 never arrived.\r\n';

function der(tag: number, ...content: Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const length = bytes.length < 0x80 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}
/** A value whose end only a mark shows, as programs write that sign while they send. */
const open = (tag: number, ...content: Uint8Array[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);

const octets = (text: string) => der(0x04, Buffer.from(text));
type Shape = typeof der;
const signed = (content: Buffer, shape: Shape = der) =>
  shape(
    0x30,
    oid(2),
    shape(
      0xa0,
      shape(
        0x30,
        der(0x02, Buffer.from([1])),
        shape(0x31, shape(0x30, oid(9))),
        shape(0x30, oid(1), shape(0xa0, content)),
      ),
    ),
  );

const mailOf = (content: Buffer, type = 'application/pkcs7-mime; smime-type=signed-data; name=smime.p7m') =>
  Buffer.from(
    `From: a@b.test\r\nContent-Type: ${type}\r\nContent-Disposition: attachment\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`,
  );

describe('signed data', () => {
  it.each([
    ['whole', signed(octets(inner))],
    ['in pieces', signed(der(0x24, octets(inner.slice(0, 20)), octets(inner.slice(20))))],
    ['of unknown length', signed(open(0x24, octets(inner.slice(0, 20)), octets(inner.slice(20))), open)],
  ])('has its content %s', (_how, bytes) => {
    expect(signedContent(bytes)?.toString()).toBe(inner);
  });

  it.each([
    ['cut anywhere', signed(octets(inner)).subarray(0, 40)],
    [
      'without content',
      der(0x30, oid(2), der(0xa0, der(0x30, der(0x02, Buffer.from([1])), der(0x31), der(0x30, oid(1))))),
    ],
    ['encrypted', der(0x30, oid(3), der(0xa0, der(0x30)))],
    ['empty', Buffer.alloc(0)],
    ['nested without end', Buffer.alloc(100_000, Buffer.from([0x30, 0x80]))],
    ['of tiny values', signed(open(0x24, Buffer.alloc(2_000_000, Buffer.from([0x04, 0]))), open)],
  ])('%s gives no text', (_what, bytes) => {
    expect(signedContent(bytes)?.toString() ?? '').not.toContain('arrived');
  });
});

describe('an opaque signed mail', () => {
  it.each([
    ['application/pkcs7-mime; smime-type=signed-data; name=smime.p7m'],
    ['application/x-pkcs7-mime; name=smime.p7m'],
    ['application/octet-stream; name="smime.p7m"'],
  ])('shows the text inside %s', async (type) => {
    const { text, attachments } = await parseMail(mailOf(signed(octets(inner)), type));
    expect([text, attachments]).toEqual(['My order 4711 never arrived.\n', []]);
  });

  it('has the files inside', async () => {
    const head = 'Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nSee file\r\n--B\r\n';
    const mixed = `${head}Content-Type: application/pdf; name=a.pdf\r\n\r\n%PDF\r\n--B--\r\n`;
    const { text, attachments } = await parseMail(mailOf(signed(octets(mixed))));
    expect([text, attachments.map(({ fileName }) => fileName)]).toEqual(['See file', ['a.pdf']]);
  });

  it('is unwrapped when it is signed twice, but not without end', async () => {
    let content = Buffer.from(inner);
    for (let times = 0; times < 2; times++)
      content = Buffer.from(
        mailOf(signed(octets(content.toString())))
          .toString()
          .replace('From: a@b.test\r\n', ''),
      );
    expect((await parseMail(Buffer.concat([Buffer.from('From: a@b.test\r\n'), content]))).text).toContain('order 4711');
  });

  it.each([
    ['encrypted', 'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m'],
    ['another file', 'application/octet-stream; name=data.bin'],
  ])('stays a file when it is %s', async (_what, type) => {
    const { text, attachments } = await parseMail(mailOf(signed(octets(inner)), type));
    expect([text, attachments.length]).toEqual(['', 1]);
  });
});
