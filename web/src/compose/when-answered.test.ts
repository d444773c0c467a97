import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '../words/words.ts';
import { effectOf, rulesOf, type WhenAnswered } from './when-answered.ts';

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

test('what a saved reply changes, the rule leaves alone', () => {
  const effect = (actions: object) => effectOf(taken, { ticket, recipients, userId: me, actions });
  expect(effect({ status: 'closed' })).toBe('Sends, and assigns to you.');
  expect(effect({ assignee: 'none' })).toBe('Sends, and sets to “Waiting on customer”.');
  expect(effect({ status: 'open', assignee: 'me' })).toBeUndefined();
  expect(effect({ addTags: ['vip'] })).toBe('Sends, assigns to you and sets to “Waiting on customer”.');
});

const closing: WhenAnswered = { assign: 'never', status: 'closed' };
const working = { status: 'active', sendStatus: 'active' } as const;
const a = { ...working, id: 'a', whenAnswered: closing };
const b = { ...working, id: 'b', whenAnswered: null };
const nothing = { mailboxId: null, mailboxes: [], ofWorkspace: taken, hasSmtp: false };

test.each([
  ['its mailbox', { mailboxId: 'a', mailboxes: [a, b] }, [closing]],
  ['the workspace, where its mailbox has none', { mailboxId: 'b', mailboxes: [a, b] }, [taken]],
  ['its mailbox, also where that cannot send', { mailboxId: 'a', mailboxes: [{ ...a, status: 'paused' }] }, [closing]],
  ['the workspace, where a mail server sends', { mailboxes: [a, b], hasSmtp: true }, [taken]],
  ['any mailbox that the service may choose', { mailboxes: [a, b] }, [closing, taken]],
  ['the mailboxes that work', { mailboxes: [{ ...a, sendStatus: 'error' }, b] }, [taken]],
  ['one that can be read, before one that cannot', { mailboxes: [{ ...a, status: 'error' }, b] }, [taken]],
  ['the workspace, where nothing sends', { mailboxes: [{ ...a, status: 'paused' }] }, [taken]],
] as [string, object, WhenAnswered[]][])('the rule of an answer is that of %s', (_, given, rules) => {
  expect(rulesOf({ ...nothing, ...given })).toEqual(rules);
});
