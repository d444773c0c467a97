import { expect, test } from 'vitest';
import type { Message } from '../api/client.ts';
import { isOpen, openAtFirst, withNewest, withOpen } from './open-messages.ts';

const message = (id: string, status?: 'cancelled') =>
  ({ id, delivery: status === undefined ? null : { status } }) as Message;
const messages = [message('m1'), message('m2'), message('m3')];
const openOf = (state: ReturnType<typeof openAtFirst>, of = messages) =>
  of.filter((each) => isOpen(state, each)).map(({ id }) => id);
const none = new Set<string>();

test('the newest message and unseen ones are open, the others folded', () => {
  expect(openOf(withNewest(openAtFirst('t'), messages, none))).toEqual(['m3']);
  expect(openOf(withNewest(openAtFirst('t'), messages, new Set(['m2'])))).toEqual(['m2', 'm3']);
});

test('a message that was open stays open when a newer one comes', () => {
  const before = withNewest(openAtFirst('t'), messages.slice(0, 2), none);
  expect(openOf(withNewest(before, messages, none))).toEqual(['m2', 'm3']);
});

test('messages that the reader opened or folded stay so', () => {
  const first = withNewest(openAtFirst('t'), messages, none);
  const state = withOpen(withOpen(first, ['m1', 'm2'], true), ['m3'], false);
  expect(openOf(withNewest(state, messages, none))).toEqual(['m1', 'm2']);
});

test('an undone answer is folded, and the message before it counts as the newest', () => {
  const taken = [message('m1'), message('m2', 'cancelled')];
  expect(openOf(withNewest(openAtFirst('t'), taken, none), taken)).toEqual(['m1']);
});

test('without new messages the state is the same object', () => {
  const state = withNewest(openAtFirst('t'), messages, none);
  expect(withNewest(state, messages, none)).toBe(state);
});
