import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedMail } from './mail.ts';
import { parseMail, UnparsableMail } from './parse.ts';

/** Collects every string of a mail, to search them for forbidden characters. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array || value instanceof Date) return [];
  return Object.values(value).flatMap(stringsOf);
}

function expectStorable(mail: ParsedMail) {
  for (const text of stringsOf(mail)) {
    expect(text.includes('\0')).toBe(false);
    expect(text.isWellFormed()).toBe(true);
  }
}

describe('hostile bytes', () => {
  it.each([
    ['empty', ''],
    ['blank', '\0'.repeat(100)],
    ['blank', ' \n\n'],
    ['no-header', 'PK\x03\x04\0\0'],
    ['no-header', '<!doctype html><title>Sign in</title>'],
  ])('refuses bytes that are not a mail: %s', async (reason, text) => {
    await expect(parseMail(Buffer.from(text))).rejects.toMatchObject({ name: 'UnparsableMail', reason });
  });

  it('become a storable mail or an UnparsableMail', async () => {
    const pieces = fc.constantFrom(
      ...[
        'Subject: ',
        'Content-Type: multipart/mixed; boundary=b',
        'Content-Type: text/html; charset=utf-16le',
        '\n',
        '\n\n',
      ],
      ...['--b', '--b--', '=?utf-8?B?', '?=', '\0', '\ud800', '<', '>', '"', '=\n', '=ED=A0=80', '&#xD800;&#0;'],
      ...['Content-Transfer-Encoding: quoted-printable', 'From: a@b.c', 'References: <', 'Date: ', '\xff', 'é'],
    );
    const anyMail = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      fc
        .array(fc.oneof(pieces, fc.string({ maxLength: 10 })), { maxLength: 60 })
        .map((list) => Buffer.from(list.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(anyMail, async (raw) => {
        const mail = await parseMail(raw).catch((error: unknown) => {
          if (error instanceof UnparsableMail) return null;
          throw error;
        });
        if (mail !== null) expectStorable(mail);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [
      '30 MB of base64',
      () =>
        `Content-Type: application/x\nContent-Transfer-Encoding: base64\n\n${`${'A'.repeat(76)}\n`.repeat(400_000)}`,
    ],
    ['30 MB of soft breaks', () => `Content-Transfer-Encoding: quoted-printable\n\n${'=\n'.repeat(15_000_000)}`],
    ['30 MB of boundary-like lines', () => `Content-Type: multipart/mixed; boundary=b\n\n${'--c\n'.repeat(7_500_000)}`],
    ['a million parts', () => `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(1_000_000)}`],
    ['multiparts nested without end', () => 'Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(100_000)],
    [
      'different multiparts nested',
      () =>
        Array.from({ length: 20_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join(''),
    ],
    ['20 MB of HTML tags', () => `Content-Type: text/html\n\n${'<div>'.repeat(4_000_000)}`],
    ['20 MB of HTML entities', () => `Content-Type: text/html\n\n${'&lt;'.repeat(5_000_000)}`],
    ['a header of 10 MB', () => `Subject: x\n${`X: ${'y'.repeat(100)}\n`.repeat(100_000)}\nBody`],
    ['one endless folded header', () => `Subject: x\n${' y\n'.repeat(1_000_000)}\nBody`],
    ['encoded words without end', () => `Subject: ${'=?utf-8?Q?'.repeat(100_000)}\n\n`],
    ['brackets without end', () => `References: ${'<'.repeat(500_000)}\nTo: ${'<(",'.repeat(100_000)}\n\n`],
    ['odd lines for a header', () => `Subject: x\n${'odd line\n'.repeat(1_000_000)}`],
    [
      'semicolons in Content-Type',
      () => `Content-Type: text/plain${';'.repeat(500_000)}${' a*0*='.repeat(10_000)}\n\n`,
    ],
    ['quotes in HTML cids', () => `Content-Type: text/html\n\n${'cid:'.repeat(2_000_000)}`],
  ])(
    'parses %s in linear time',
    async (_name, make) => {
      const raw = Buffer.from(make());
      // Takes half a second at most. A quadratic step would exceed the test timeout.
      expectStorable(await parseMail(raw));
    },
    60_000,
  );
});
