import { expect, test } from 'vitest';
import { plainName } from './plain-name.ts';

test.each([
  'Acme',
  'Workspace of Ann Example',
  'Müller, Meier & Co. KG',
  'Support 2026',
  'Dr. Ann O’Neill-Šťastná',
  'AC/DC fan shop',
  '株式会社サポート',
  'A.B. Engineering',
])('the name "%s" stands in letters', (name) => {
  expect(plainName(name)).toBe(name);
});

test.each([
  'PAYMENT OVERDUE, pay now at https://evil.example/pay or lose access',
  'booking.com',
  'www.evil',
  'evil．example',
  'evil․example',
  'evil。example',
  'evil\u200B.\u2060example',
  'e vil.example/pay',
  'http:evil',
  'mailto:pay@evil.example',
  'PayPal: pay evil.xn--p1ai',
  '192.168.10.10',
  'Call +1 900 555 0100',
  'Call +１ ９００ ５５５ ０１００',
  'Your account is locked! Act now',
  'Your account will be closed unless you answer us by today',
  'a'.repeat(61),
  'a '.repeat(50_000),
  '\u200B',
])('the name "%s" does not', (name) => {
  expect(plainName(name)).toBeNull();
});
