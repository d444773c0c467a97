import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { loadWords } from '../words/words.ts';
import { changeWords } from './change-words.ts';

beforeAll(async () => {
  await loadWords('first');
  queryClient.setQueryData(['me'], { user: { id: 'me' } });
});
// Test files share their modules.
afterAll(() => queryClient.clear());

const assigned = (assignees: (string | null)[], assigneeId: string | null) =>
  changeWords(
    assignees.map((from, at) => ({ ticketNumber: at + 1, assigneeId: from }) as Ticket),
    { kind: 'fields', fields: { assigneeId } },
  );

test('the assignment of several tickets tells how many colleagues had', () => {
  expect(assigned([null, 'me', 'ben', 'cara'], 'me')).toBe("4 tickets assigned, 2 were someone else's");
  expect(assigned([null, 'ben'], null)).toBe("2 tickets unassigned, one was someone else's");
  expect(assigned(['me', null], 'ben')).toBe('2 tickets assigned');
  expect(assigned(['ben'], 'me')).toBe('#1 assigned');
});
