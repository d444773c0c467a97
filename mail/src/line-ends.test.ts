import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { mailFingerprint } from './identity.ts';
import { settled, withLineFeeds } from './line-ends.ts';
import { parseMail } from './parse.ts';

const anyText = fc
  .array(
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '\u00a0',
      '\u3000',
      '\ufeff',
      '>',
      '>>From ',
      'From ',
      'From',
      'é',
      '\u{1f600}',
      'x',
    ),
  )
  .map((pieces) => pieces.join(''));

describe('line ends of any text', () => {
  it('become LF', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(withLineFeeds(text)).toBe(text.replace(/\r\n?/g, '\n'));
      }),
    );
  });

  it('lose the blanks before them and the quoting of From', () => {
    const settledLine = (line: string) => line.trimEnd().replace(/^>+(?=From )/, '');
    const plainly = (text: string) => text.replace(/\r\n?/g, '\n').split('\n').map(settledLine).join('\n').trim();
    fc.assert(
      fc.property(anyText, (text) => {
        expect(settled(text)).toBe(plainly(text));
      }),
    );
  });
});

const bytesOf = (header: string, body: string) =>
  Buffer.from(
    `From: a@example.org\r\nMessage-ID: <1@example.org>\r\nMIME-Version: 1.0\r\n${header}\r\n\r\n${body}`,
    'latin1',
  );
const twoParts = 'Content-Type: multipart/mixed; boundary=b';
const lines = '\r\n'.repeat(10_000_000);

test.each([
  ['its text', '', lines],
  ['its flowed text', 'Content-Type: text/plain; format=flowed', lines],
  ['text with blanks at its line ends', '', ' \r\n'.repeat(7_000_000)],
  ['text beside HTML', twoParts, `--b\r\n\r\n${lines}\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n--b--`],
  ['an attached text', twoParts, `--b\r\n\r\nHello\r\n--b\r\nContent-Type: text/csv\r\n\r\n${lines}\r\n--b--`],
])(
  'a mail of 20 MB of line ends in %s does not block the process for long',
  async (_where, header, body) => {
    const raw = bytesOf(header, body);
    const startedAt = process.cpuUsage();
    mailFingerprint(await parseMail(raw), raw);
    // Regular expressions and arrays of lines needed several times as much.
    expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(6);
  },
  60_000,
);
