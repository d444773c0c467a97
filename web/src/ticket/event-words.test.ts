import { beforeAll, expect, test } from 'vitest';
import type { TicketEvent } from '../api/client.ts';
import { loadWords } from '../words/words.ts';
import { eventsLine } from './event-words.ts';

beforeAll(() => Promise.all([loadWords('first'), loadWords('later')]));

const bob = { type: 'agent', userId: 'bob', name: 'Bob' } as const;
const event = (type: string, data: object, actor: TicketEvent['actor'] = bob) =>
  ({ id: type, type, data, actor, createdAt: '2026-01-01T10:00:00Z' }) as TicketEvent;
const names = {
  member: (userId: string) => (userId === 'ann' ? 'Ann' : undefined),
  team: (id: string) => (id === 'billing' ? 'Billing' : undefined),
  rule: (id: string) => (id === 'vip' ? 'Important customers' : undefined),
};

test('changes made together are one sentence', () => {
  const closed = event('ticket.status_changed', { from: 'open', to: 'closed' });
  const assigned = event('ticket.assigned', { from: null, to: 'ann' });
  expect(eventsLine([closed, assigned, closed], names)).toBe('Bob closed the ticket, assigned Ann');
  const reopened = event('ticket.status_changed', { from: 'closed', to: 'open' });
  expect(eventsLine([closed, reopened], names)).toBe('Bob closed and reopened the ticket');
  expect(eventsLine([reopened, closed], names)).toBe('Bob reopened the ticket, closed the ticket');
});

test('a person who assigns a ticket to themselves is named once', () => {
  expect(eventsLine([event('ticket.assigned', { from: 'ann', to: 'bob' })], names)).toBe(
    'Bob assigned the ticket to themselves',
  );
});

test('a ticket goes to a team, or leaves it', () => {
  expect(eventsLine([event('ticket.team_changed', { from: null, to: 'billing' })], names)).toBe(
    'Bob assigned the ticket to the team Billing',
  );
  expect(eventsLine([event('ticket.team_changed', { from: 'billing', to: null })], names)).toBe(
    'Bob took the ticket out of its team',
  );
});

test('an event of the service names the service, and an unknown type is a change', () => {
  const service = { type: 'system', userId: null, name: null } as const;
  expect(eventsLine([event('ticket.woken', { by: 'time' }, service)], names)).toBe('Kontor ended the snooze');
  expect(eventsLine([event('ticket.renumbered', {})], names)).toBe('Bob changed the ticket');
});

test('the cause of changes ends their line once', () => {
  const service = { type: 'system', userId: null, name: null } as const;
  const of = (kind: string, type: string, data: object, actor?: TicketEvent['actor']): TicketEvent =>
    ({ ...event(type, data, actor), cause: { kind, id: 'ann' } }) as TicketEvent;
  const woken = of('mail', 'ticket.woken', { by: 'reply' });
  const opened = of('mail', 'ticket.status_changed', { to: 'open' });
  expect(eventsLine([woken, opened], names)).toBe(
    'Bob ended the snooze, reopened the ticket (because an email came in)',
  );
  expect(eventsLine([of('departure', 'ticket.assigned', { to: null })], names)).toBe(
    'Bob unassigned the ticket (because Ann left)',
  );
  expect(eventsLine([of('snooze', 'ticket.woken', { by: 'time' }, service)], names)).toBe('Kontor ended the snooze');
  expect(eventsLine([of('of_later', 'ticket.archived', {})], names)).toBe('Bob archived the ticket');
});

test('what involves another ticket has its number, where the reader sees that ticket', () => {
  const merged = event('ticket.merged_from', { fromTicketId: 'other', movedMessages: 2 });
  expect(eventsLine([merged], names)).toBe('Bob merged another ticket into this one');
  expect(eventsLine([{ ...merged, otherNumber: 12 }], names)).toBe('Bob merged #12 into this ticket');
  const split = { ...event('ticket.split', { intoTicketId: 'other', movedMessages: 1 }), otherNumber: 13 };
  expect(eventsLine([split], names)).toBe('Bob moved messages to #13');
});

test('added and removed tags are named separately', () => {
  expect(eventsLine([event('ticket.tagged', { added: ['vip'], removed: ['new'] })], names)).toBe(
    'Bob changed the tags (added vip, removed new)',
  );
});

test('what a rule did names the rule, also once it is gone', () => {
  const service: TicketEvent['actor'] = { type: 'system', userId: null, name: null };
  const tagged = (id: string) =>
    ({
      ...event('ticket.tagged', { added: ['vip'], removed: [] }, service),
      cause: { kind: 'rule', id },
    }) as TicketEvent;
  expect(eventsLine([tagged('vip')], names)).toBe('Kontor added the tag vip (by the rule “Important customers”)');
  expect(eventsLine([tagged('gone')], names)).toBe('Kontor added the tag vip (by a rule that is no longer there)');
});
