import { describe, expect, test } from 'vitest';
import { type DeliveryEvent, type DeliveryState, nextState, statesBefore, statusAfter, statusOf } from './state.ts';

/** The events that may happen in each state, and the states to which they lead. All other events are refused. */
const table: Record<DeliveryState, Partial<Record<DeliveryEvent, DeliveryState>>> = {
  scheduled: {
    release: 'queued',
    reschedule: 'scheduled',
    doubt: 'uncertain',
    find: 'sent',
    cancel: 'cancelled',
  },
  queued: {
    claim: 'sending',
    doubt: 'uncertain',
    'give-up': 'failed',
    find: 'sent',
    retry: 'queued',
    cancel: 'cancelled',
  },
  'queued-unsure': {
    claim: 'unsure',
    find: 'sent',
    retry: 'queued',
    'retry-asking': 'queued-unsure',
    cancel: 'cancelled',
  },
  sending: {
    claim: 'sending',
    'hand-over': 'handing-over',
    'hand-to-mailbox': 'unsure',
    postpone: 'queued',
    send: 'sent',
    fail: 'failed',
    lose: 'uncertain',
    doubt: 'uncertain',
    'give-up': 'failed',
    find: 'sent',
    bounce: 'bounced',
  },
  'handing-over': {
    postpone: 'queued',
    send: 'sent',
    fail: 'failed',
    lose: 'uncertain',
    doubt: 'uncertain',
    'cut-off': 'uncertain',
    find: 'sent',
    bounce: 'bounced',
  },
  unsure: {
    claim: 'unsure',
    'keep-asking': 'unsure',
    'start-over': 'sending',
    postpone: 'queued',
    send: 'sent',
    fail: 'failed',
    lose: 'uncertain',
    find: 'sent',
    bounce: 'bounced',
  },
  sent: { bounce: 'bounced' },
  failed: { find: 'sent', retry: 'queued', 'retry-asking': 'queued-unsure' },
  bounced: { retry: 'queued' },
  uncertain: {
    postpone: 'queued',
    send: 'sent',
    fail: 'failed',
    find: 'sent',
    bounce: 'bounced',
    retry: 'queued',
    'retry-asking': 'queued-unsure',
  },
  cancelled: { find: 'sent', retry: 'queued', 'retry-asking': 'queued-unsure' },
};

const states = Object.keys(table) as DeliveryState[];
const events = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))] as DeliveryEvent[];

describe.each(states)('%s', (state) => {
  test.each(events)('%s', (event) => {
    expect(nextState(state, event)).toBe(table[state][event] ?? 'refused');
    expect(statesBefore(event).includes(state)).toBe(event in table[state]);
  });
});

test.each(events)('%s leads to one status, whatever the state was', (event) => {
  const statuses = states.flatMap((state) => table[state][event] ?? []).map(statusOf);
  expect([...new Set(statuses)]).toEqual([statusAfter(event)]);
});

test('a mail that may have left is sent again only after an answer of the other side, or by a click', () => {
  const again = (state: DeliveryState) =>
    events.filter((event) => ['queued', 'sending'].includes(nextState(state, event)));
  expect(again('handing-over')).toEqual(['postpone']);
  expect(again('unsure')).toEqual(['postpone', 'start-over']);
  expect(again('queued-unsure')).toEqual(['retry']);
  expect(again('uncertain')).toEqual(['retry', 'postpone']);
  expect(again('sent')).toEqual([]);
});
