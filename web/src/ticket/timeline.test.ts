import { expect, test } from 'vitest';
import type { Message, TicketEvent } from '../api/client.ts';
import { timelineOf } from './timeline.ts';

const message = (id: string, createdAt: string) => ({ id, createdAt }) as Message;
const event = (id: string, createdAt: string, type = 'ticket.tagged', userId = 'bob') =>
  ({ id, createdAt, type, actor: { type: 'agent', userId, name: userId }, data: {} }) as TicketEvent;
const shown = (messages: Message[], events: TicketEvent[]) =>
  timelineOf(messages, events).map((entry) =>
    entry.kind === 'message' ? entry.message.id : entry.events.map(({ id }) => id).join('+'),
  );

test('events stand between the messages by their time', () => {
  const messages = [message('m1', '2026-01-01T10:00:00Z'), message('m2', '2026-01-01T12:00:00Z')];
  const events = [event('e1', '2026-01-01T11:00:00Z'), event('e2', '2026-01-01T13:00:00Z')];
  expect(shown(messages, events)).toEqual(['m1', 'e1', 'm2', 'e2']);
});

test('a scheduled answer comes last, as it has yet to leave', () => {
  const scheduled = { ...message('m1', '2026-01-01T10:00:00Z'), delivery: { status: 'scheduled' } } as Message;
  const events = [event('e1', '2026-01-01T13:00:00Z')];
  expect(shown([scheduled, message('m2', '2026-01-01T12:00:00Z')], events)).toEqual(['m2', 'e1', 'm1']);
});

test('events that a message shows by itself are left out', () => {
  const events = [
    event('e1', '2026-01-01T10:00:00Z', 'ticket.created'),
    event('e2', '2026-01-01T10:00:01Z', 'message.added'),
    event('e3', '2026-01-01T10:00:02Z', 'message.delivery_changed'),
  ];
  expect(shown([message('m1', '2026-01-01T10:00:00Z')], events)).toEqual(['m1']);
});

test('changes by one person within ten minutes are one line; another person or a later time is a new line', () => {
  const events = [
    event('e1', '2026-01-01T10:00:00Z'),
    event('e2', '2026-01-01T10:09:00Z'),
    event('e3', '2026-01-01T10:09:30Z', 'ticket.tagged', 'ann'),
    event('e4', '2026-01-01T10:30:00Z', 'ticket.tagged', 'ann'),
  ];
  expect(shown([], events)).toEqual(['e1+e2', 'e3', 'e4']);
});

test('a message separates the events before and after it', () => {
  const events = [event('e1', '2026-01-01T10:00:00Z'), event('e2', '2026-01-01T10:02:00Z')];
  expect(shown([message('m1', '2026-01-01T10:01:00Z')], events)).toEqual(['e1', 'm1', 'e2']);
});

test('changes with another cause are a new line', () => {
  const because = (id: string, cause: object | undefined) =>
    ({ ...event(id, '2026-01-01T10:00:00Z'), ...(cause && { cause }) }) as TicketEvent;
  const events = [
    because('e1', undefined),
    because('e2', { kind: 'bulk_change', id: 'one' }),
    because('e3', { kind: 'bulk_change', id: 'one' }),
    because('e4', { kind: 'bulk_change', id: 'other' }),
    because('e5', { kind: 'bulk_undo', id: 'other' }),
  ];
  expect(shown([], events)).toEqual(['e1', 'e2+e3', 'e4', 'e5']);
});
