import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applied } from '../../src/helpdesk/tickets/ticket-change.ts';
import type { Ticket as Row } from '../../web/src/api/client.ts';
import { changedFields, type FieldChange, inverseOf } from '../../web/src/tickets/ticket-change.ts';
import { anyChange, anyTicket, changesAt } from '../worlds/any-change.ts';

const once = (tags: readonly string[]) => [...new Set(tags.map((tag) => tag.toLowerCase()))];

/** The changes that the page makes, as it writes them. */
const anyFields: fc.Arbitrary<FieldChange> = anyChange.map(
  ({ tags: _, requester: __, reason: ___, priority, snoozedUntil, addTags, removeTags, ...fields }) => ({
    ...fields,
    ...(priority !== undefined && { priority: priority.toLowerCase() }),
    ...(snoozedUntil !== undefined && { snoozedUntil: snoozedUntil && new Date(snoozedUntil).toISOString() }),
    ...(addTags !== undefined && { addTags: once(addTags) }),
    ...(removeTags !== undefined && { removeTags: once(removeTags) }),
  }),
);

const shown = (row: Row, change: { kind: 'fields'; fields: FieldChange }): Row => ({
  ...row,
  ...changedFields(row, change, changesAt),
});

test('the page shows at once what the service makes of any change', () => {
  fc.assert(
    fc.property(anyTicket, anyFields, (ticket, fields) => {
      const change = { kind: 'fields', fields } as const;
      expect(shown(ticket as Row, change)).toEqual(applied(ticket, fields as Parameters<typeof applied>[1], changesAt));
    }),
  );
});

/** A ticket without what no undo brings back: the spelling and order of tags, and exact times. */
function roughly({ tags, archivedAt, trashedAt, spamAt, spamReason: _, snoozedUntil, ...fields }: Row) {
  const isAsleep = snoozedUntil !== null && new Date(snoozedUntil) > changesAt;
  const places = [archivedAt, trashedAt, spamAt].map((time) => time !== null);
  return { ...fields, tags: tags.map((tag) => tag.toLowerCase()).toSorted(), places, until: isAsleep && snoozedUntil };
}

test('the undo of any change of the page shows the ticket as before', () => {
  fc.assert(
    fc.property(anyTicket, anyFields, (ticket, fields) => {
      const row = ticket as Row;
      const change = { kind: 'fields', fields } as const;
      // A menu changes one of these at a time.
      fc.pre([fields.archive, fields.trash, fields.spam].filter((named) => named !== undefined).length < 2);
      fc.pre(fields.archive === undefined || (row.trashedAt === null && row.spamAt === null));
      const inverse = inverseOf(row, change, changesAt);
      const after = shown(row, change);
      const back = inverse?.kind === 'fields' ? shown(after, inverse) : after;
      expect(roughly(back)).toEqual(roughly(row));
    }),
  );
});
