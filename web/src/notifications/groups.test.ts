import { expect, test } from 'vitest';
import { groupsOf } from './groups.ts';
import type { Notification } from './queries.ts';

const told = (id: string, referenceId: string, readAt: string | null): Notification => ({
  id,
  referenceId,
  readAt,
  type: 'reply',
  messageId: null,
  mailboxId: null,
  actorId: null,
  title: `title ${id}`,
  count: 1,
  createdAt: '2026-03-02T10:00:00Z',
});

test('the notifications of a ticket are one entry, with the newest title and all unread ids', () => {
  const groups = groupsOf([told('3', 'a', null), told('2', 'b', '2026-03-02T10:00:00Z'), told('1', 'a', null)]);
  expect(groups.map(({ newest, ids, unreadIds }) => [newest.title, ids, unreadIds])).toEqual([
    ['title 3', ['3', '1'], ['3', '1']],
    ['title 2', ['2'], []],
  ]);
});

test('the new tickets of a mailbox are an entry apart from the newest of them', () => {
  const many = { ...told('3', 'a', null), type: 'new_ticket', count: 2 } as const;
  const groups = groupsOf([many, told('2', 'a', null)]);
  expect(groups.map(({ ids }) => ids)).toEqual([['3'], ['2']]);
});
