import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyChange, anyTicket, changesAt } from '../../../../test/worlds/any-change.ts';
import { type MessageId, newId, type TicketId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { rankOfPriority } from '../../../helpdesk/tickets/priority.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { applied, factsBetween } from '../../../helpdesk/tickets/ticket-change.ts';
import { type AtTheTime, earlierState, type LaterFact } from './earlier-state.ts';

const rowOf = (ticket: Ticket) => ({
  status: ticket.status,
  priority: ticket.priority,
  priority_rank: rankOfPriority(ticket.priority),
  assignee_id: ticket.assigneeId,
  team_id: ticket.teamId,
  mailbox_id: ticket.mailboxId,
  tags: ticket.tags,
  tag_keys: ticket.tags.map(caseKey),
  archived_at: ticket.archivedAt,
  spam_at: ticket.spamAt,
  trashed_at: ticket.trashedAt,
  snoozed_until: ticket.snoozedUntil,
});

/** What conditions ask: whether a ticket is archived, not since when; which tags it has, in any order. */
const asked = (row: ReturnType<typeof rowOf>) => ({
  ...row,
  tags: row.tags.toSorted(),
  tag_keys: row.tag_keys.toSorted(),
  archived_at: row.archived_at !== null,
  spam_at: row.spam_at !== null,
  trashed_at: row.trashed_at !== null,
});

const then = (more: Partial<AtTheTime> = {}): AtTheTime => ({
  at: '2026-02-01T00:00:00.000Z',
  snoozedUntil: null,
  lastMessageAt: '2026-01-31T00:00:00.000Z',
  attachmentCount: 2,
  ...more,
});

test('undoing the facts of any changes gives the ticket as it was', () => {
  fc.assert(
    fc.property(anyTicket, fc.array(anyChange, { minLength: 1, maxLength: 6 }), (first, changes) => {
      let now = first;
      const facts: LaterFact[] = [];
      for (const change of changes) {
        const next = applied(now, change, changesAt);
        facts.unshift(...factsBetween(now, next).toReversed());
        now = next;
      }
      const row = rowOf(now);
      const { columns, unknown } = earlierState(row, facts, then({ snoozedUntil: first.snoozedUntil }));
      expect(asked({ ...row, ...columns })).toEqual(asked(rowOf(first)));
      expect([...unknown].filter((column) => column !== 'contact')).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

const plain = { tags: [], archived_at: null, spam_at: null, trashed_at: null };
const ticketId = newId<TicketId>();
const messageId = newId<MessageId>();

test.each<[string, LaterFact[], string[]]>([
  ['a later message', [{ type: 'message.added', data: { messageId, direction: 'inbound' } }], ['contact']],
  ['a later answer', [{ type: 'message.added', data: { messageId, direction: 'outbound' } }], ['contact', 'delivery']],
  [
    'a merge',
    [{ type: 'ticket.merged', data: { intoTicketId: ticketId, movedMessages: 1 } }],
    ['status', 'snoozed_until', 'last_message_at', 'attachment_count', 'contact', 'delivery'],
  ],
  [
    'a merge before which the status changed',
    [
      { type: 'ticket.merged', data: { intoTicketId: ticketId, movedMessages: 1 } },
      { type: 'ticket.status_changed', data: { from: 'open', to: 'pending', reason: null } },
    ],
    ['snoozed_until', 'last_message_at', 'attachment_count', 'contact', 'delivery'],
  ],
])('%s leaves unknown what no fact tells', (_name, facts, unknown) => {
  expect([...earlierState(plain, facts, then()).unknown].toSorted()).toEqual(unknown.toSorted());
});

test('files and times of messages are those until then', () => {
  const facts: LaterFact[] = [{ type: 'message.added', data: { messageId, direction: 'inbound' } }];
  expect(earlierState(plain, facts, then()).columns).toMatchObject({
    last_message_at: '2026-01-31T00:00:00.000Z',
    attachment_count: 2,
  });
  expect(earlierState(plain, [], then()).columns).not.toHaveProperty('attachment_count');
});
