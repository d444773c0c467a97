import { expect, test } from 'vitest';
import { completionsOf } from './query-completions.ts';
import { type QueryNames, readQuery } from './query-words.ts';

const members: Record<string, string> = { maya: 'u1', marek: 'u2' };
const names: QueryNames = {
  members: (word) =>
    Object.keys(members).flatMap((name) => (name.startsWith(word.toLowerCase()) ? [members[name] ?? ''] : [])),
  mailboxes: (word) => (word === 'support' ? ['m1'] : []),
  teams: (word) => (word === 'billing' ? ['t1'] : []),
};
const read = (text: string) => readQuery(text, names);

test('words, phrases, exclusions and `or` are searched as they are', () => {
  const text = 'flat "front tyre" -brake or wheel';
  expect(read(text)).toEqual({ filters: {}, search: text, number: undefined, unknown: [] });
});

test.each([
  ['is:open is:pending', { status: ['open', 'pending'] }],
  ['team:Mine team:billing', { team: ['mine', 't1'] }],
  ['tag:vip tag:"big customer"', { tags: ['vip', 'big customer'] }],
  ['is:unassigned', { assignee: ['none'] }],
  ['is:following is:mentioned', { following: true, mentioned: true }],
  ['is:snoozed is:unread', { snoozed: true, unread: true }],
  ['is:archived', { archived: 'true' }],
  ['is:undelivered', { delivery: ['failed', 'bounced', 'uncertain'] }],
  ['assignee:me', { assignee: ['me'] }],
  ['assignee:me is:unassigned assignee:me', { assignee: ['me', 'none'] }],
  ['assignee:May', { assignee: ['u1'] }],
  ['has:attachment', { hasAttachment: true }],
  ['in:support', { mailbox: ['m1'] }],
  ['priority:high', { priority: 'high' }],
  ['IS:Open', { status: ['open'] }],
])('%s is a filter', (text, filters) => {
  expect(read(text)).toEqual({ filters, search: '', number: undefined, unknown: [] });
});

test('filters and words stand in any order', () => {
  expect(read('brake is:open pads tag:vip')).toMatchObject({
    filters: { status: ['open'], tags: ['vip'] },
    search: 'brake pads',
  });
});

test('people are searched for by their names and addresses', () => {
  expect(read('from:ann@example.org invoice').search).toBe('ann@example.org invoice');
  expect(read('to:"Ann Example"').search).toBe('"Ann Example"');
});

test('status and mailbox are other names for is and in', () => {
  expect(read('status:closed mailbox:support').filters).toEqual(read('is:closed in:support').filters);
  expect(read('status:snoozed').unknown).toEqual(['status:snoozed']);
});

test('days begin where the person is', () => {
  expect(read('after:2026-02-01 before:2026-3-1').filters).toEqual({
    lastMessageFrom: new Date(2026, 1, 1).toISOString(),
    lastMessageTo: new Date(2026, 2, 1).toISOString(),
  });
});

test.each(['is:nonsense', 'assignee:ma', 'assignee:nobody-here', 'before:2026-02-31', 'after:soon', 'in:elsewhere'])(
  '%s is reported as not understood',
  (text) => expect(read(`${text} word`)).toEqual({ filters: {}, search: 'word', number: undefined, unknown: [text] }),
);

test.each([
  ['#12', 12],
  ['12', 12],
  ['#12 is:open', undefined],
  ['12 apples', undefined],
  ['0', undefined],
])('%s means the ticket %s', (text, number) => {
  expect(read(text).number).toBe(number);
});

test.each(['https://example.org/a:b', '-tag:vip', 'note:this', '10:30', '<id@example.org>'])(
  '%s is not an operator',
  (text) => expect(read(text)).toMatchObject({ search: text, filters: {}, unknown: [] }),
);

test('an open quote ends with the text', () => {
  expect(read('tag:"big customer').filters).toEqual({ tags: ['big customer'] });
});

test.each([
  ['brake i', ['brake is:', 'brake in:']],
  ['is:un', ['is:unread ', 'is:unassigned ', 'is:undelivered ']],
  ['tag:b', ['tag:"big customer" ']],
  ['in:s', ['in:support@example.org ']],
  ['is:open', []],
  ['mailbox:s', ['mailbox:support@example.org ']],
  ['status:p', ['status:pending ']],
  ['assignee:m', ['assignee:me ', 'assignee:"Mary Moss" ']],
  ['team:b', ['team:Billing ']],
  ['after:2026-02', ['after:2026-02-28 ', 'after:2026-02-21 ']],
  ['brake ', []],
])('%j is completed by %j', (text, completions) => {
  const known = {
    tag: ['vip', 'big customer'],
    in: ['support@example.org'],
    assignee: ['Mary Moss'],
    team: ['Billing'],
  };
  expect(completionsOf(text, known, { today: new Date(2026, 1, 28) })).toEqual(completions);
});
