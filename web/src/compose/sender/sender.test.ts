import { expect, test } from 'vitest';
import { ownAddress, senderOf } from './sender.ts';

const a = { id: 'a', status: 'active', sendStatus: 'active' } as const;
const b = { id: 'b', status: 'active', sendStatus: 'active' } as const;
const nothing = { chosen: null, lastUsed: null, hasSmtp: false };

test('a new ticket leaves from the chosen mailbox, else the last one used, else the first', () => {
  expect(senderOf([a, b], nothing)).toBe('a');
  expect(senderOf([a, b], { ...nothing, lastUsed: 'b' })).toBe('b');
  expect(senderOf([a, b], { ...nothing, lastUsed: 'b', chosen: 'a' })).toBe('a');
  expect(senderOf([a, b], { ...nothing, lastUsed: 'gone', chosen: 'gone' })).toBe('a');
});

test.each([
  { status: 'paused', sendStatus: 'active' },
  { status: 'reauthorization_required', sendStatus: 'active' },
  { status: 'active', sendStatus: 'error' },
] as const)('a mailbox that is $status and $sendStatus is passed over', (state) => {
  expect(senderOf([{ ...a, ...state }, b], { ...nothing, lastUsed: 'a' })).toBe('b');
  expect(senderOf([{ ...a, ...state }], nothing)).toBeNull();
  expect(senderOf([{ ...a, ...state }], { ...nothing, hasSmtp: true })).toBe(ownAddress);
});

test('a mailbox that cannot be read sends, if no other does', () => {
  expect(senderOf([{ ...a, status: 'error' }, b], nothing)).toBe('b');
  expect(senderOf([{ ...a, status: 'error' }], nothing)).toBe('a');
});

test("the service's own address counts only with a mail server", () => {
  expect(senderOf([a], { ...nothing, lastUsed: ownAddress, hasSmtp: true })).toBe(ownAddress);
  expect(senderOf([a], { ...nothing, lastUsed: ownAddress })).toBe('a');
  expect(senderOf([], { ...nothing, hasSmtp: true })).toBe(ownAddress);
  expect(senderOf([], nothing)).toBeNull();
});
