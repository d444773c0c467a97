import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyChange, anyTicket, type Change, changesAt } from '../../../test/worlds/any-change.ts';
import type { Ticket } from './schema.ts';
import { applied, factsBetween, type TicketFact } from './ticket-change.ts';

/** What a reader of the events alone knows of a ticket. */
type Told = Pick<
  Ticket,
  'subject' | 'status' | 'priority' | 'assigneeId' | 'mailboxId' | 'teamId' | 'snoozedUntil' | 'spamReason'
> & {
  tags: string[];
  requester: string | null;
  isArchived: boolean;
  isSpam: boolean;
  isTrashed: boolean;
};

function toldBy(ticket: Ticket): Told {
  const { subject, status, priority, assigneeId, mailboxId, teamId, snoozedUntil, spamReason } = ticket;
  const { archivedAt, trashedAt, spamAt } = ticket;
  return {
    ...{ subject, status, priority, assigneeId, mailboxId, teamId, snoozedUntil, spamReason },
    tags: ticket.tags.toSorted(),
    requester: ticket.requester?.email ?? null,
    isArchived: archivedAt !== null && archivedAt !== trashedAt && archivedAt !== spamAt,
    isSpam: spamAt !== null,
    isTrashed: trashedAt !== null,
  };
}

function after(told: Told, { type, data }: TicketFact): Told {
  switch (type) {
    case 'ticket.subject_changed':
      return { ...told, subject: data.to };
    case 'ticket.status_changed':
      return { ...told, status: data.to as Ticket['status'] };
    case 'ticket.priority_changed':
      return { ...told, priority: data.to };
    case 'ticket.assigned':
      return { ...told, assigneeId: data.to };
    case 'ticket.mailbox_changed':
      return { ...told, mailboxId: data.to };
    case 'ticket.team_changed':
      return { ...told, teamId: data.to };
    case 'ticket.tagged':
      return { ...told, tags: [...told.tags.filter((tag) => !data.removed.includes(tag)), ...data.added].toSorted() };
    case 'ticket.requester_changed':
      return { ...told, requester: data.to };
    case 'ticket.snoozed':
      return { ...told, snoozedUntil: data.until };
    case 'ticket.woken':
      return { ...told, snoozedUntil: null };
    case 'ticket.archived':
    case 'ticket.unarchived':
      return { ...told, isArchived: type === 'ticket.archived' };
    case 'ticket.spam_changed':
      return { ...told, isSpam: data.isSpam, spamReason: data.reason };
    case 'ticket.trashed':
    case 'ticket.restored':
      return { ...told, isTrashed: type === 'ticket.trashed' };
    default:
      throw new Error(`${type} is no fact of a change`);
  }
}

const ofAny = (law: (ticket: Ticket, change: Change) => void) => fc.assert(fc.property(anyTicket, anyChange, law));

describe('any change of any ticket', () => {
  test('is told by its facts, once each', () => {
    ofAny((ticket, change) => {
      const changed = applied(ticket, change, changesAt);
      const facts = factsBetween(ticket, changed);
      expect(facts.reduce(after, toldBy(ticket))).toEqual(toldBy(changed));
    });
  });

  test('is no fact if it changes nothing, or is made again', () => {
    ofAny((ticket, change) => {
      const changed = applied(ticket, change, changesAt);
      const isSame = JSON.stringify(toldBy(changed)) === JSON.stringify(toldBy(ticket));
      expect(factsBetween(ticket, changed).length === 0).toBe(isSame);
      expect(factsBetween(changed, applied(changed, change, changesAt))).toEqual([]);
    });
  });

  test('leaves a ticket archived while it is in the trash or spam', () => {
    ofAny((ticket, change) => {
      const { archivedAt, trashedAt, spamAt, spamReason } = applied(ticket, change, changesAt);
      if (trashedAt !== null || spamAt !== null) expect(archivedAt).not.toBeNull();
      expect(spamReason === null).toBe(spamAt === null);
    });
  });
});

test('what enters the trash or spam comes back as it was', () => {
  fc.assert(
    fc.property(anyTicket, fc.constantFrom('trash', 'spam'), (ticket, place) => {
      const moved = applied(ticket, { [place]: true }, changesAt);
      fc.pre(JSON.stringify(moved) !== JSON.stringify(ticket));
      expect(applied(moved, { [place]: false }, changesAt)).toEqual(ticket);
    }),
  );
});
