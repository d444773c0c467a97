import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMail } from './parse.ts';
import { decodeTransfer } from './transfer.ts';

/** Encodes like POSIX's uuencode. */
function uuencode(bytes: Uint8Array): string {
  const char = (sextet: number) => String.fromCharCode(sextet === 0 ? 0x60 : sextet + 32);
  const lines = Array.from({ length: Math.ceil(bytes.length / 45) }, (_, line) => {
    const some = bytes.subarray(line * 45, (line + 1) * 45);
    const groups = Array.from({ length: Math.ceil(some.length / 3) }, (_, group) => {
      const [a = 0, b = 0, c = 0] = some.subarray(group * 3, group * 3 + 3);
      return [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63].map(char).join('');
    });
    return char(some.length) + groups.join('');
  });
  return ['begin 644 a picture.gif', ...lines, '`', 'end', ''].join('\r\n');
}

describe.each(['uuencode', 'x-uuencode', 'X-UUE'])('%s', (encoding) => {
  it('decodes any file', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decodeTransfer(Buffer.from(uuencode(bytes)), encoding)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

it('decodes a uuencoded file whose lines lost their trailing blanks', () => {
  const bytes = Buffer.alloc(60, 'abc\0\0\0');
  const encoded = uuencode(bytes).replaceAll('`', ' ').replace(/ +$/gm, '').replace(/ +\r/g, '\r');
  expect(decodeTransfer(Buffer.from(encoded), 'x-uuencode')).toEqual(bytes);
});

it('keeps content that only claims to be uuencoded', () => {
  const bytes = Buffer.from('We begin 10 minutes late.\n');
  expect(decodeTransfer(bytes, 'uuencode')).toBe(bytes);
});

it('decodes a uuencoded attachment', async () => {
  const picture = Buffer.from('GIF89a\x01\x00\xff not really', 'latin1');
  const raw = [
    'From: eva@home.example',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'Here it is',
    '--b',
    'Content-Type: image/gif; name=picture.gif',
    'Content-Transfer-Encoding: x-uuencode',
    '',
    uuencode(picture),
    '--b--',
  ].join('\r\n');
  const { attachments } = await parseMail(Buffer.from(raw));
  expect(attachments.map(({ fileName, content }) => [fileName, Buffer.from(content)])).toEqual([
    ['picture.gif', picture],
  ]);
});
