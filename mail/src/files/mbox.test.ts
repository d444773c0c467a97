import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDatedFromLine, type MboxEntry, splitMbox } from './mbox.ts';

const FROM = 'From ann@example.com Fri Nov 20 19:05:01 2026';
const BYTES_MAX = 1_000_000;

/** Escapes by the mboxrd rule: adds a `>` to every line that begins with `From ` after any number of `>`. */
function writeMboxrd(mails: readonly string[], lineEnd = '\n'): Buffer {
  const texts = mails.map((mail) => `${FROM}${lineEnd}${mail.replace(/^(>*From )/gm, '>$1')}${lineEnd}`);
  return Buffer.from(texts.join(''), 'latin1');
}

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let step = 0; at < bytes.length; step++) {
    const size = sizes[step % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function split(bytes: Buffer | string, sizes: readonly number[] = [], sizeBytesMax = BYTES_MAX) {
  const entries: MboxEntry[] = [];
  for await (const entry of splitMbox(cut(Buffer.from(bytes), sizes), sizeBytesMax)) entries.push(entry);
  return entries;
}

const textsOf = (entries: readonly MboxEntry[]) =>
  entries.map((entry) => ('raw' in entry ? entry.raw.toString('latin1') : entry.sizeBytes));

describe('splitMbox', () => {
  it('reads mails back unchanged, however the chunks split them', async () => {
    const line = fc.oneof(
      fc.constantFrom('', 'From ', '>From x', '>>From ', FROM, `>${FROM}`, 'From me to you', '>', 'x', 'From', '\r'),
      fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => text.replaceAll('\n', ' ')),
    );
    const lineEnd = fc.constantFrom('\n', '\r\n');
    const mails = fc.array(
      fc.array(line, { maxLength: 8 }).map((lines) => ['Subject: x', ...lines]),
      { minLength: 1, maxLength: 6 },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(mails, sizes, lineEnd, async (list, cuts, end) => {
        const written = list.map((lines) => lines.map((text) => text + end).join(''));
        expect(textsOf(await split(writeMboxrd(written, end), cuts))).toEqual(written);
      }),
      { numRuns: 1_000 },
    );
  });

  it('tells where each mail begins', async () => {
    const first = `${FROM}\nSubject: 1\n\none\n\n`;
    const entries = await split(`${first}${FROM}\nSubject: 2\n\ntwo\n`);
    expect(entries.map((entry) => entry.offsetBytes)).toEqual([0, first.length]);
    expect(textsOf(entries)).toEqual(['Subject: 1\n\none\n', 'Subject: 2\n\ntwo\n']);
  });

  it.each([
    ['without an empty line, before a header', `x\n${FROM}\nSubject: 2\n`, 2],
    ['without an empty line, in the text', `x\n${FROM}\nis what he wrote\n`, 1],
    ['without a date, before a header', 'x\n\nFrom ann@example.com\nSubject: 2\n', 2],
    ['without a date, in the text', 'x\n\nFrom ann@example.com\nI heard\n', 1],
    ['with a date of another form', 'x\n\nFrom ann@example.com 2026-11-20T19:05:01Z\nSubject: 2\n', 2],
    ['with a date in French', 'x\n\nFrom ann@example.com ven. 20 nov. 2026 19:05:01\nSubject: 2\n', 2],
    ['with a date, before an escaped one', `x\n\n${FROM}\n>From - Sat Apr 12 2025 15:59:28\nSubject: 2\n`, 2],
    ['with a year and a time, in the text', 'x\n\nFrom ann I heard in 2026 at 10:30\nthat it rains\n', 1],
    ['that is a sentence', 'x\n\nFrom Friday on it rains\nSubject: y\n', 1],
    ['that never ends', `x\n\nFrom ${'x'.repeat(5_000)}`, 1],
  ])('judges a From line %s', async (_what, text, count) => {
    for (const sizes of [[], [1], [7]]) {
      expect(await split(`${FROM}\nSubject: 1\n\n${text}`, sizes)).toHaveLength(count);
    }
  });

  it.each([
    'From ann@example.com Fri Nov 20 19:05:01 2026',
    'From ann@example.com Fri Nov  6 19:05 CET 2026',
    'From - Tue Oct 02 13:36:38 2007',
    'From MAILER-DAEMON Fri Jul  8 12:08:34 2011 +0200',
    'From "ann b"@example.com Fri, 20 Nov 2026 19:05:01 +0000\r',
  ])('recognises %j', (line) => {
    expect(isDatedFromLine(line)).toBe(true);
  });

  describe('with a Content-Length', () => {
    const body = `one\n\n${FROM}\nSubject: quoted\n\nin the text\n`;
    const mail = (length: number, lineEnd = '\n') =>
      `${FROM}\nSubject: 1\nContent-Length: ${length}\n\n${body}\n${FROM}\nSubject: 2\n\ntwo\n`.replaceAll(
        '\n',
        lineEnd,
      );
    const first = (length: number) => `Subject: 1\nContent-Length: ${length}\n\n`;

    it.each([[[]], [[1]], [[7, 3]]])('keeps the lines within it together, in chunks of %j', async (sizes) => {
      expect(textsOf(await split(mail(body.length), sizes))).toEqual([
        first(body.length) + body,
        'Subject: 2\n\ntwo\n',
      ]);
    });

    it('keeps them together with CRLF, and in the last mail of the file', async () => {
      const length = body.replaceAll('\n', '\r\n').length;
      expect(await split(mail(length, '\r\n'), [5])).toHaveLength(2);
      expect(await split(`${FROM}\n${first(body.length)}${body}`, [5])).toHaveLength(1);
    });

    it.each([0, 3, body.length + 5, 1_000, 99_999_999])('believes no false one: %s', async (length) => {
      for (const sizes of [[], [1]]) expect(await split(mail(length), sizes)).toHaveLength(3);
    });
  });

  it('skips a mail that is too large, without holding it in memory', async () => {
    const large = `Subject: large\n\n${'x\n'.repeat(5_000)}`;
    const bytes = writeMboxrd(['Subject: 1\n\none\n', large, 'Subject: 2\n\ntwo\n']);
    const entries = await split(bytes, [100], 1_000);
    expect(textsOf(entries)).toEqual(['Subject: 1\n\none\n', large.length + 1, 'Subject: 2\n\ntwo\n']);
  });

  it('finds no mail in an empty file', async () => {
    expect(await split('')).toEqual([]);
    expect(await split('no mbox\n')).toEqual([]);
    expect(await split('\n\n\n')).toEqual([]);
  });

  it('splits fifty megabytes as they stream by', async () => {
    const chunk = writeMboxrd(
      Array.from({ length: 200 }, (_, n) => `Subject: ${n}\n\n${`${'x'.repeat(70)}\n`.repeat(70)}`),
    );
    const repeats = 50;
    async function* chunks() {
      for (let count = 0; count < repeats; count++) yield chunk;
    }
    let mails = 0;
    for await (const entry of splitMbox(chunks(), BYTES_MAX)) if ('raw' in entry) mails++;
    expect(mails).toBe(200 * repeats);
  });
});
