import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeCorpus } from '../../test/harness/corpus.ts';
import { trimReply } from './quoting/quoting.ts';

const A = 'Ola Nord <ola@shop.example>';

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '> q',
    'text',
    '',
    '--',
    `On 4 Mar 2024, ${A} wrote:`,
    'From: x',
    'Sent: y',
    'To: a@b.c',
    'Subject: z',
    '```',
    'Sent from my iPhone',
    '----- Original Message -----',
    '| x',
    '<',
    '> wrote:',
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }).map((lines) => lines.join('\n')),
  );

  test('every line is in the reply or in the quote, in order, and no line is added', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.replace(/\r\n?/g, '\n').split('\n');
        const { reply, quoted } = trimReply(text);
        const full = (part: string | null) => (part ?? '').split('\n').filter((line) => line.trim() !== '');
        const all = lines.filter((line) => line.trim() !== '');
        expect([...full(reply), ...full(quoted)].sort()).toEqual(all.sort());
        if (all.length > 0) expect(reply.trim()).not.toBe('');
      }),
    );
  });

  test.each([
    ['one endless line', 'a'.repeat(1_000_000)],
    ['attributions without end', `${'On 4 Mar 2024, x@y.z <a@b.c '.repeat(36)}\n`.repeat(1_000)],
    ['attributions that never close', 'On 4 Mar 2024 at 10:00 <a@b\n'.repeat(38_000)],
    ['colons', 'On 4 Mar 2024 at 10:00 a:\nb\n\n<\n@\n'.repeat(28_000)],
    ['headers', 'From: x\nTo: y\n'.repeat(70_000)],
    ['fences', '```\n'.repeat(250_000)],
    ['dashes', `${'-'.repeat(249)}x\n`.repeat(4_000)],
    ['spaces', `${' '.repeat(499)}x\n`.repeat(2_000)],
    ['quotes and words', '> a\nb wrote:\n'.repeat(70_000)],
    ['brackets', `${'<('.repeat(190)}:\n`.repeat(2_600)],
    ['armour', '-----BEGIN PGP SIGNATURE-----\n'.repeat(33_000)],
    ['apologies', `${'. sorry excuse '.repeat(19)}\n`.repeat(3_400)],
    ['arrows', `>>> a${' 9:15'.repeat(45)}\n`.repeat(4_000)],
    ['devices', `Written${' a b c on my'.repeat(8)}\n`.repeat(9_000)],
    ['sent from', `${'Sent from my '.repeat(8)}\n`.repeat(9_000)],
  ])('a megabyte of %s takes seconds at most (backtracking would take minutes)', (_, text) => {
    trimReply(text);
  });
});

describeCorpus('the corpus', (corpus) => {
  test('at least 95 % of real replies are trimmed like people did', () => {
    const names = readdirSync(resolve(corpus, 'replies', 'emails'));
    const words = (text: string) => text.replace(/\s+/g, ' ').trim();
    const missed = names.filter((name) => {
      const read = (folder: string) => readFileSync(resolve(corpus, 'replies', folder, name), 'utf8');
      return words(trimReply(read('emails')).reply) !== words(read('trimmed'));
    });
    expect(missed.length, missed.join(' ')).toBeLessThanOrEqual(names.length * 0.05);
  });
});
