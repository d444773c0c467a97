import { expect, test } from 'vitest';
import { chipsOf } from './chips.ts';

const nameOf = (userId: string) => `name of ${userId}`;

test('each filter is a chip that leads to the list without it', () => {
  const list = { status: ['open', 'pending'], tags: ['vip'], assignee: 'none', snoozed: true, sort: 'priority' };
  const chips = chipsOf(list, nameOf);
  expect(chips.map(({ text }) => text)).toEqual(['Open', 'Pending', 'Tag vip', 'Assignee Nobody', 'Snoozed']);
  expect(chips[0]?.without).toEqual({ ...list, status: ['pending'] });
  expect(chips[2]?.without).toEqual({ status: ['open', 'pending'], assignee: 'none', snoozed: true, sort: 'priority' });
});

test('order and words of a search are no chips', () => {
  expect(chipsOf({ search: 'brake', sort: 'createdAt', order: 'asc', archived: 'false' }, nameOf)).toEqual([]);
});

test('an assignee has a name', () => {
  expect(chipsOf({ assignee: 'u1' }, nameOf)[0]?.text).toBe('Assignee name of u1');
  expect(chipsOf({ assignee: 'me' }, nameOf)[0]?.text).toBe('Assignee me');
});
