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
  ['Read more at bank.example', 'https://evil.test', undefined],
  ['invoice.pdf is attached', 'mailto:ann@bank.example', undefined],
  ['ann@bank.example', 'https://evil.test', undefined],
  ['v1.2', 'https://evil.test', undefined],
  ['', 'https://evil.test', undefined],
])('the text "%s" of a link to %s', (text, address, hosts) => {
  expect(otherHost(text, address)).toEqual(hosts);
});
