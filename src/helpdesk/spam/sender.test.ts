import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEnding, isSharedDomain } from '../../ground/lib/shared-domains.ts';
import { keysOf, readSender } from './sender.ts';

const isBlockedBy = (entry: string, email: string) => {
  const sender = readSender(entry);
  if (sender === undefined) throw new Error(`${entry} is no sender`);
  return keysOf(email).includes(sender.key);
};

describe('an entry of the block list', () => {
  test.each([
    ['ann@example.org', 'ANN@Example.ORG'],
    [' Ann@example.org ', 'ann@example.org.'],
    ['ann@example.org', 'ann+news+more@example.org'],
    ['ann@example.org', '"ann"@example.org'],
    ['ann@example.org', '"a\\nn"@example.org'],
    ['0x7f.1', 'ann@0X7F.1'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', 'Ann@BÜCHER.example'],
    ['josé@example.org', 'jose\u0301@example.org'],
    ['ann+news@example.org', 'ann+NEWS@example.org'],
    ['example.org', 'ann@example.org'],
    ['@example.org', 'ann@mail.eu.example.org'],
    ['Example.ORG.', '+@example.org'],
    ['bücher.example', 'ann@shop.xn--bcher-kva.example'],
    ['faß.example', 'ann@xn--fa-hia.example'],
    ['example.org', 'ann@example。org'],
  ])('%s blocks %s', (entry, email) => {
    expect(isBlockedBy(entry, email)).toBe(true);
  });

  test.each([
    ['ann@example.org', 'joann@example.org'],
    ['ann@example.org', 'ann@mail.example.org'],
    ['ann@example.org', 'ann@example.org.evil.example'],
    ['ann+news@example.org', 'ann@example.org'],
    ['ann+news@example.org', 'ann+other@example.org'],
    ['example.org', 'ann@notexample.org'],
    ['mail.example.org', 'ann@example.org'],
    ['example.org', 'example.org@example.com'],
    ['example.org', '"ann@example.org"@example.com'],
    ['bücher.example', 'ann@bucher.example'],
    ['exämple.org', 'ann@example.org'],
  ])('%s leaves %s alone', (entry, email) => {
    expect(isBlockedBy(entry, email)).toBe(false);
  });

  test.each([
    '',
    '@',
    'a@',
    '@@b.example',
    'ann@exa mple.org',
    'a@b@c',
    '*.example.org',
    '-a.example',
    'a..example',
    'a\0.example',
  ])('%s is no sender', (entry) => expect(readSender(entry)).toBeUndefined());

  test('of any address or domain blocks just that', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    const domain = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'));
    const local = fc.stringMatching(/^[a-z0-9._-]{1,12}(\+[a-z0-9]{0,5})?$/);
    fc.assert(
      fc.property(domain, domain, local, local, (one, other, ann, bob) => {
        expect(isBlockedBy(one, `${ann}@${other}`)).toBe(other === one || other.endsWith(`.${one}`));
        const isCovered = one === other && (ann === bob || (!ann.includes('+') && bob.startsWith(`${ann}+`)));
        expect(isBlockedBy(`${ann}@${one}`, `${bob}@${other}`)).toBe(isCovered);
        expect(isBlockedBy(`${ann}@${one}`, `${ann.toUpperCase()}@${one.toUpperCase()}.`)).toBe(true);
      }),
      { examples: [['b.example', 'a.b.example', 'ann', 'ann+x']] },
    );
  });

  test('is not hidden by characters that nobody sees', () => {
    expect(isBlockedBy('exa\u200bmple.org', 'ann@example.org')).toBe(true);
    for (const unseen of ['\u202e', '\u0007', '\u2066']) expect(readSender(`exa${unseen}mple.org`)).toBeUndefined();
  });

  test('of any text never throws, and hostile addresses cost little', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void [readSender(text), keysOf(text)]));
    const begun = performance.now();
    expect(keysOf(`ann@${'a.'.repeat(100_000)}example`)).toEqual([]);
    expect(keysOf(`${'+'.repeat(100_000)}@example.org`).length).toBeLessThan(5);
    expect(keysOf(`ann@${'a.'.repeat(120)}example`)).toHaveLength(122);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

test('endings of domains and domains of many are told apart from others', () => {
  for (const ending of ['com', 'co.uk', 'localhost']) expect([ending, isEnding(ending)]).toEqual([ending, true]);
  for (const shared of ['gmail.com', 'yahoo.co.jp', 'web.de', 'github.io', 'outlook.fr'])
    expect([shared, isSharedDomain(shared), isEnding(shared)]).toEqual([shared, true, false]);
  for (const own of ['example.org', 'acme.github.io', 'mail.example.co.uk', 'printer.local'])
    expect([own, isSharedDomain(own), isEnding(own)]).toEqual([own, false, false]);
});
