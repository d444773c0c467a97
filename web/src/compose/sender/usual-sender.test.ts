import { expect, test } from 'vitest';
import { messageOf } from '../../../test/records.ts';
import { usualSender } from './usual-sender.ts';

const [help, sales] = ['help@office.example', 'sales@office.example'];
const [ann, bob] = ['ann@example.org', 'bob@example.org'];

test('an answer leaves from the address to which its recipients wrote last', () => {
  const usual = (to: string[][], recipients = [ann]) =>
    usualSender([help, sales], { messages: to.map((each) => messageOf({ to: each })), recipients });
  expect(usual([[sales]])).toBe(sales);
  expect(usual([['SALES+7@office.example']])).toBe(sales);
  expect(usual([[sales], ['else@office.example']])).toBe(help);
  expect(usual([[sales, help]])).toBe(help);
  expect(usual([[sales]], [bob])).toBe(help);
  expect(usual([])).toBe(help);
});

test('a machine’s mail counts only if there is no other', () => {
  const messages = [messageOf({ to: [sales] }), messageOf({ to: [help], automaticKind: 'auto-reply' })];
  expect(usualSender([help, sales], { messages, recipients: [ann] })).toBe(sales);
  expect(usualSender([], { messages, recipients: [ann] })).toBeUndefined();
});
