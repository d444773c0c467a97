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

test('the newest message of a customer is open below notes and own answers, and while those come', () => {
  const inbound = (id: string) => ({ ...message(id), direction: 'inbound', isInternal: false }) as Message;
  const outbound = (id: string) => ({ ...message(id), direction: 'outbound', isInternal: false }) as Message;
  const note = (id: string) => ({ ...outbound(id), isInternal: true }) as Message;
  const phoned = (id: string) => ({ ...inbound(id), isInternal: true }) as Message;
  for (const [all, wanted] of [
    [
      [inbound('m1'), note('m2')],
      ['m1', 'm2'],
    ],
    [
      [inbound('m1'), inbound('m2'), note('m3'), outbound('m4')],
      ['m2', 'm4'],
    ],
    [[outbound('m1'), outbound('m2')], ['m2']],
    [
      [inbound('m1'), phoned('m2'), message('m3', 'cancelled')],
      ['m1', 'm2'],
    ],
  ] as const)
    expect(openOf(withNewest(openAtFirst('t'), all, none), [...all])).toEqual(wanted);
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
