import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyChange, anyTicket, changesAt } from '../../../test/worlds/any-change.ts';
import { applied } from '../../helpdesk/tickets/ticket-change.ts';
import { givenBack, madeBetween, stateOf } from './ticket-state.ts';

const others = { closedAt: null, unread: [] };

test('the undo of any change gives back all that the change has made', () => {
  fc.assert(
    fc.property(anyTicket, anyChange, (ticket, change) => {
      const [before, after] = [stateOf(ticket, others), stateOf(applied(ticket, change, changesAt), others)];
      const made = madeBetween(before, after);
      const { fields = {}, isWhole = true } = made === undefined ? {} : givenBack(made, after);
      expect(isWhole).toBe(true);
      expect({ ...after.fields, ...fields }).toEqual(before.fields);
    }),
  );
});
