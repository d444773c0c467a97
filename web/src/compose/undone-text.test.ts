import { expect, test } from 'vitest';
import type { Message } from '../api/client.ts';
import { nothingWritten } from './draft/draft-content.ts';
import { isTextMissing } from './undone-text.ts';

const message = (body: string, status?: 'cancelled', userId = 'ada') =>
  ({ body, replyText: null, author: { userId }, delivery: status === undefined ? null : { status } }) as Message;
const draft = (body: string) => ({ ...nothingWritten, body });
const undone = message('Dear Ann,\nit works.', 'cancelled');

test('an undone text that is nowhere else is missing', () => {
  const elsewhere = { drafts: [draft('Something else')], messages: [undone, message('Hello')] };
  expect(isTextMissing(undone, elsewhere)).toBe(true);
});

test('a text is not missing while a draft contains it', () => {
  expect(isTextMissing(undone, { drafts: [draft('Dear Ann,\n\nit works. Bye')], messages: [undone] })).toBe(false);
});

test('a text that its writer has sent since is not missing, but a colleague’s same words do not count', () => {
  const again = message('Dear Ann, it works.');
  const colleagues = message('Dear Ann, it works.', undefined, 'ben');
  expect(isTextMissing(undone, { drafts: [], messages: [undone, again] })).toBe(false);
  expect(isTextMissing(undone, { drafts: [], messages: [undone, colleagues] })).toBe(true);
});
