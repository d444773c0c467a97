import { expect, test } from 'vitest';
import { otherHost } from './link-host.ts';

test.each([
  ['https://bank.example/login', 'https://evil.test/bank.example', { named: 'bank.example', actual: 'evil.test' }],
  ['bank.example', 'http://bank.example.evil.test/', { named: 'bank.example', actual: 'bank.example.evil.test' }],
  [' WWW.Bank.Example/a b', 'https://evil.test', { named: 'bank.example', actual: 'evil.test' }],
  ['bücher.example', 'https://evil.test', { named: 'xn--bcher-kva.example', actual: 'evil.test' }],
  ['bank.example', 'https://www.bank.example/login', undefined],
  ['bank.example', 'https://login.bank.example/', undefined],
  ['login.bank.example', 'https://bank.example/', undefined],
  ['bücher.example', 'https://xn--bcher-kva.example/', undefined],
  ['Click here', 'https://evil.test', undefined],
  ['Read more at bank.example', 'https://bank.example/', undefined],
  ['invoice.pdf is attached', 'mailto:ann@bank.example', undefined],
  ['Mail ann@bank.example', 'https://bank.example/contact', undefined],
  ['Log in\nbank.example', 'https://bank.example/', undefined],
  ['invoice.pdf', 'https://evil.test', undefined],
  ['Node.js, e.g. 1.2.3 … and so on', 'https://evil.test', undefined],
  ['v1.2', 'https://evil.test', undefined],
  ['', 'https://evil.test', undefined],
])('the text "%s" of a link to %s', (text, address, hosts) => {
  expect(otherHost(text, address)).toEqual(hosts);
});

const bank = { named: 'bank.example', actual: 'evil.test' };
test.each([
  ...['(bank.example)', '"bank.example"', '„bank.example“', '<bank.example>', '[bank.example]', "'bank.example'"],
  ...[
    '→ bank.example',
    '• bank.example',
    '…bank.example…',
    '>> bank.example',
    '//bank.example',
    'bank.example@evil.test',
  ],
  ...['bank.example,', 'bank.example.', 'bank.example!', 'bank.example;', 'bank.example:443', 'bank.example?x=1'],
  ...[
    '\u200bbank.example',
    'ba\u00adnk.example',
    'bank\u2060.example',
    '\u202abank.example\u202c',
    'bank.ex\ufeffample',
  ],
  ...['bank．example', 'bank․example', 'bank。example', 'bank｡example', 'bank﹒example', 'bank·example'],
  ...['ｂａｎｋ.example', 'https：／／bank.example', 'BANK.EXAMPLE', 'www.bank.example', '\u00a0bank.example\u00a0'],
  ...[
    'service@bank.example',
    'Log in at https://bank.example/login now',
    'Your account at bank.example',
    'a|bank.example',
  ],
  ...[
    'https://bank.example@evil.test/',
    'https://bank.example\\evil.test',
    'invoice.pdf at bank.example',
    'Bank (bank.example)',
  ],
])('names bank.example: %s', (text) => {
  expect(otherHost(text, 'https://evil.test/')).toEqual(bank);
  expect(otherHost(text, 'https://bank.example/')).toBeUndefined();
});

test('names an address in numbers and a domain of another script', () => {
  expect(otherHost('http://192.0.2.7/login', 'https://evil.test')?.named).toBe('192.0.2.7');
  expect(otherHost('банк.рф', 'https://evil.test')?.named).toBe('xn--80ab2al.xn--p1ai');
  // A Cyrillic letter looks the same, and is another host.
  expect(otherHost('bаnk.example', 'https://bank.example')?.named).toMatch(/^xn--.*\.example$/);
});

test('is found at once in any text', () => {
  const texts = [
    'a'.repeat(100_000),
    'a.'.repeat(50_000),
    '.-'.repeat(50_000),
    '\u200b'.repeat(100_000),
    '\ufdfa'.repeat(50_000),
  ];
  for (const text of texts) expect(otherHost(text, 'https://evil.test')).toBeUndefined();
});
