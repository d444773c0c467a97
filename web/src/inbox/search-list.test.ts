import { expect, test } from 'vitest';
import type { Ticket } from '../api/client.ts';
import { readQuery } from '../tickets/query/query-words.ts';
import { cachedHits, listOfQuery } from './search-list.ts';

const names = { members: () => [], mailboxes: () => ['m1'], teams: () => [] };
const me = '0199aaaa-0000-7000-8000-000000000001';
const row = (ticketNumber: number, subject: string, more: Partial<Ticket> = {}) =>
  ({
    ticketNumber,
    subject,
    status: 'open',
    assigneeId: null,
    requester: null,
    tags: [],
    attachmentCount: 0,
    trashedAt: null,
    spamAt: null,
    archivedAt: null,
    mergedIntoId: null,
    snoozedUntil: null,
    createdAt: '2026-01-01',
    lastMessageAt: `2026-01-0${ticketNumber}`,
    ...more,
  }) as unknown as Ticket;

/** The numbers of the tickets that the box suggests for a text. */
function suggested(rows: Ticket[], text: string): number[] {
  const { list } = listOfQuery(readQuery(text, names));
  return cachedHits(rows, list, { userId: me, teamIds: [], now: new Date('2026-01-10') }, 5).map(
    ({ ticketNumber }) => ticketNumber,
  );
}

test('operators become parameters of the list, the rest is searched', () => {
  const { list, unknown } = listOfQuery(readQuery('is:closed tag:vip flat tyre is:nonsense', names));
  expect(list).toEqual({ status: ['closed'], tags: ['vip'], search: 'flat tyre' });
  expect(unknown).toEqual(['is:nonsense']);
});

test('every operator has a parameter of the list', () => {
  const text = 'in:support has:attachment is:unread is:following is:mentioned after:2026-02-01 before:2026-03-01';
  expect(listOfQuery(readQuery(text, names))).toEqual({
    list: {
      mailbox: ['m1'],
      hasAttachment: true,
      unread: true,
      following: true,
      mentioned: true,
      lastMessageFrom: new Date(2026, 1, 1).toISOString(),
      lastMessageTo: new Date(2026, 2, 1).toISOString(),
    },
    unknown: [],
  });
});

test('loaded tickets are found by subject, person and number, whatever the case and accents', () => {
  const rows = [
    row(1, 'Brake pads'),
    row(2, 'A brake', { requester: { contactId: '', email: 'jose@example.org', name: 'José' } }),
    row(3, 'Brake', { archivedAt: '2026-01-01' }),
  ];
  const found = (text: string) => suggested(rows, text);
  expect(found('BRAKE')).toEqual([2, 1]);
  expect(found('brake jose')).toEqual([2]);
  expect(found('#1')).toEqual([1]);
  expect(found('"brake pads"')).toEqual([1]);
  expect(found('"pads brake"')).toEqual([]);
  expect(found('brake -pads')).toEqual([2]);
  expect(found('brake -"brake pads"')).toEqual([2]);
  expect(found('-pads')).toEqual([]);
  expect(found('')).toEqual([]);
});

test('loaded tickets are suggested only if the operators allow them', () => {
  const rows = [
    row(1, 'Delivery', { assigneeId: me, unread: true }),
    row(2, 'Delivery', { status: 'closed', assigneeId: me, tags: ['VIP'] }),
    row(3, 'Delivery', { attachmentCount: 1 }),
    row(4, 'Delivery', { snoozedUntil: '2026-02-01', mailboxId: 'm1' }),
    row(5, 'Delivery', { archivedAt: '2026-01-01' }),
    row(6, 'Delivery', { trashedAt: '2026-01-01' }),
    row(7, 'Delivery', { status: 'closed', mergedIntoId: me }),
  ];
  const found = (operators: string) => suggested(rows, `${operators} delivery`);
  expect(found('')).toEqual([4, 3, 2, 1]);
  expect(found('is:open assignee:me')).toEqual([1]);
  expect(found('assignee:me')).toEqual([2, 1]);
  expect(found('is:closed tag:vip')).toEqual([2]);
  expect(found('is:unassigned is:open')).toEqual([4, 3]);
  expect(found('is:snoozed')).toEqual([4]);
  expect(found('in:support')).toEqual([4]);
  expect(found('has:attachment')).toEqual([3]);
  expect(found('is:unread')).toEqual([1]);
  expect(found('is:archived')).toEqual([5]);
  expect(found('is:trash')).toEqual([6]);
  expect(found('after:2026-01-04')).toEqual([4]);
});

test('a filter that only the service knows suggests no ticket', () => {
  const rows = [row(1, 'Delivery')];
  for (const operator of ['is:following', 'is:mentioned', 'is:undelivered'])
    expect(suggested(rows, `${operator} delivery`)).toEqual([]);
  // Enter leaves out what has no meaning, too.
  expect(suggested(rows, 'is:nonsense delivery')).toEqual([1]);
});
