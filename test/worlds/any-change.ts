import fc from 'fast-check';
import { statuses } from '../../src/ground/catalog/ticket-status.ts';
import { type ContactId, newId, type TeamId, type UserId } from '../../src/ground/lib/ids.ts';
import type { Ticket } from '../../src/helpdesk/tickets/schema.ts';
import type { ChangeWithContact } from '../../src/helpdesk/tickets/ticket-change.ts';

/** Any tickets and any changes of them, for laws that hold for all. */

/** When the changes happen. */
export const changesAt = new Date('2026-03-01T12:00:00.000Z');
const earlier = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', null] as const;
const members = [newId<UserId>(), newId<UserId>(), null];
const mailboxes = [newId(), newId(), null];
const teams = [newId<TeamId>(), newId<TeamId>(), null];
const people = ['ann@example.org', 'Ann@Example.org', 'bea@example.org'].map((email) => ({
  contactId: newId<ContactId>(),
  email,
  name: null,
}));
const tags = fc.array(fc.constantFrom('VIP', 'vip', 'fleet', 'late'), { maxLength: 3 });
const distinctTags = fc.uniqueArray(fc.constantFrom('VIP', 'fleet', 'late', 'new'));
const requesters = fc.constantFrom(...people, null);
const mayBe = fc.boolean();

type Changing = Pick<
  Ticket,
  | 'subject'
  | 'status'
  | 'priority'
  | 'assigneeId'
  | 'mailboxId'
  | 'teamId'
  | 'tags'
  | 'requester'
  | 'snoozedUntil'
  | 'archivedAt'
  | 'trashedAt'
  | 'spamAt'
  | 'spamReason'
>;

/** Tickets as changes leave them: a hidden ticket is archived since then, or longer. */
export const anyTicket: fc.Arbitrary<Ticket> = fc
  .record<Changing>({
    subject: fc.constantFrom('Printer', 'Scanner'),
    status: fc.constantFrom(...statuses),
    priority: fc.constantFrom('normal', 'high'),
    assigneeId: fc.constantFrom(...members),
    mailboxId: fc.constantFrom(...mailboxes),
    teamId: fc.constantFrom(...teams),
    tags: distinctTags,
    requester: requesters,
    snoozedUntil: fc.constantFrom('2026-02-15T00:00:00.000Z', '2026-05-01T00:00:00.000Z', null),
    archivedAt: fc.constantFrom(...earlier),
    trashedAt: fc.constantFrom(...earlier),
    spamAt: fc.constantFrom(...earlier),
    spamReason: fc.constant(null),
  })
  .map((ticket) => {
    const hiddenAt = ticket.spamAt ?? ticket.trashedAt;
    const spamReason = ticket.spamAt === null ? null : 'blocked_sender';
    return { ...ticket, spamReason, archivedAt: ticket.archivedAt ?? hiddenAt } as Ticket;
  });

export type Change = ChangeWithContact;
export const anyChange: fc.Arbitrary<Change> = fc.record(
  {
    subject: fc.constantFrom('Printer', 'Scanner'),
    status: fc.constantFrom(...statuses),
    reason: fc.constant('Because.'),
    priority: fc.constantFrom('HIGH', 'normal'),
    assigneeId: fc.constantFrom(...members),
    mailboxId: fc.constantFrom(...mailboxes),
    teamId: fc.constantFrom(...teams),
    tags,
    addTags: tags,
    removeTags: tags,
    requester: requesters,
    snoozedUntil: fc.constantFrom('2026-05-01T02:00:00+02:00', '2026-06-01T00:00:00Z', null),
    archive: mayBe,
    spam: mayBe,
    trash: mayBe,
  },
  { requiredKeys: [] },
);
