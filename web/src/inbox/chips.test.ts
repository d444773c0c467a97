import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '../words/words.ts';
import { chipsOf } from './chips.ts';

beforeAll(() => loadWords('first'));

const names = {
  person: (userId: string) => `name of ${userId}`,
  mailbox: (id: string) => `${id}@example.org`,
  team: (id: string) => `team ${id}`,
};

test('each filter is a chip that leads to the list without it', () => {
  const list = { status: ['open', 'pending'], tags: ['vip'], assignee: ['none'], snoozed: true, sort: 'priority' };
  const chips = chipsOf(list, names);
  expect(chips.map(({ text }) => text)).toEqual(['Open', 'Waiting on customer', 'Tag vip', 'Unassigned', 'Snoozed']);
  expect(chips[0]?.without).toEqual({ ...list, status: ['pending'] });
  expect(chips[2]?.without).toEqual({
    status: ['open', 'pending'],
    assignee: ['none'],
    snoozed: true,
    sort: 'priority',
  });
});

test.each([
  ['none', 'No team'],
  ['mine', 'My teams'],
  ['billing', 'Team team billing'],
])('the team %s is the chip %j', (team, text) => {
  expect(chipsOf({ team: [team] }, names).map((chip) => chip.text)).toEqual([text]);
});

test('sort order and search words are not chips', () => {
  expect(
    chipsOf({ search: 'brake', sort: 'createdAt', order: 'asc', archived: 'false', snoozed: false }, names),
  ).toEqual([]);
});

test('the chip of an assignee has the name', () => {
  const [first, second] = chipsOf({ assignee: ['u1', 'me'] }, names);
  expect([first?.text, second?.text]).toEqual(['Assignee name of u1', 'Assignee me']);
  expect(first?.without).toEqual({ assignee: ['me'] });
});

test('mailboxes, flags, excluded flags and days are chips', () => {
  const list = {
    mailbox: ['support'],
    unread: true,
    following: true,
    mentioned: true,
    hasAttachment: false,
    createdFrom: new Date(2026, 1, 1).toISOString(),
    lastMessageTo: 'soon',
  };
  expect(chipsOf(list, names).map(({ text }) => text)).toEqual([
    'Mailbox support@example.org',
    'Unread',
    'Following',
    'Mentions you',
    'Not: Has attachment',
    'Created since Feb 1, 2026',
    'Message before soon',
  ]);
});

test.each([
  ['', 'Reply Feb 1, 2026'],
  ['/u1', 'Reply (name of u1) Feb 1, 2026'],
  ['/none', 'Reply Feb 1, 2026'],
])('what a report counts is a chip, with the member who did it: %j', (by, text) => {
  const [from, to] = [new Date(2026, 1, 1), new Date(2026, 1, 2)].map((time) => time.toISOString());
  expect(chipsOf({ happened: `response/${from}/${to}${by}` }, names).map((chip) => chip.text)).toEqual([text]);
});

test('a value that no list has is its own chip', () => {
  const list = { status: ['foo'], delivery: ['bar'], priority: 'baz' };
  expect(chipsOf(list, names).map(({ text }) => text)).toEqual(['foo', 'bar', 'Priority baz']);
});

test('chosen tickets are one chip, without their ids', () => {
  const [chip, ...others] = chipsOf({ ids: ['t1', 't2'], sort: 'priority' }, names);
  expect(chip).toEqual({ text: '2 chosen tickets', without: { sort: 'priority' } });
  expect(others).toEqual([]);
});
