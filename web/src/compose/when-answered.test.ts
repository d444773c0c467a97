import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '../words/words.ts';
import { effectOf, type WhenAnswered } from './when-answered.ts';

beforeAll(() => Promise.all([loadWords('first'), loadWords('later')]));

const ticket = {
  requester: { contactId: '1', email: 'Ann@example.org', name: null },
  status: 'open',
  assigneeId: null,
} as const;
const recipients = { to: ['ann@Example.org'], cc: [], bcc: [] };
const me = '11111111-1111-7111-8111-111111111111';
const taken: WhenAnswered = { assign: 'unassigned', status: 'pending' };

test.each([
  [null, {}, undefined],
  [taken, {}, 'Sends, assigns to you and sets to “Waiting on customer”.'],
  [taken, { assigneeId: 'other' }, 'Sends, and sets to “Waiting on customer”.'],
  [taken, { status: 'pending' }, 'Sends, and assigns to you.'],
  [taken, { status: 'closed', assigneeId: 'other' }, undefined],
  [{ assign: 'always', status: 'keep' }, { assigneeId: me }, undefined],
  [{ assign: 'always', status: 'closed' }, { assigneeId: 'other' }, 'Sends, assigns to you and sets to “Closed”.'],
  [{ assign: 'never', status: 'keep' }, {}, undefined],
] as [WhenAnswered | null, object, string | undefined][])('%o of a ticket with %o: %s', (rule, fields, effect) => {
  expect(effectOf(rule, { ticket: { ...ticket, ...fields }, recipients, userId: me })).toBe(effect);
});

test('a mail to somebody else changes nothing, also of a ticket that nobody asked', () => {
  const other = { to: ['supplier@parts.example'], cc: [], bcc: [] };
  expect(effectOf(taken, { ticket, recipients: other, userId: me })).toBeUndefined();
  expect(effectOf(taken, { ticket: { ...ticket, requester: null }, recipients, userId: me })).toBeUndefined();
});
