import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../src/ground/lib/ids.ts';
import { useHouse } from '../harness/harness.ts';
import { upload } from '../harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { putMailbox } from '../worlds/put-mailbox.ts';

const house = useHouse();

// Computed names, so that the compiler does not follow them: the web inbox is compiled for browsers.
const rules = '../../web/src/tickets';
const { belongs } = await import(`${rules}/filters.ts`);
const { orderOf } = await import(`${rules}/order.ts`);

const statuses = ['open', 'pending', 'closed'];
const tags = ['red', 'green', 'blue'];
const priorities = ['low', 'normal', 'high', 'urgent', 'whatever'];

/** Tickets in nearly every possible state, as rows of the service. */
async function makeTickets(owner: Person, colleagueId: string, mailboxId: string) {
  const ids: string[] = [];
  for (let at = 0; at < 36; at += 1) {
    const { id } = (
      await owner.call('POST', '/tickets', {
        subject: `Ticket ${at}`,
        body: 'text',
        priority: priorities[at % priorities.length],
        tags: tags.filter((_tag, bit) => (at >> bit) % 2 === 1),
        requester: at % 4 === 1 ? { email: `customer-${at}@example.org` } : null,
        mailboxId: at % 5 === 2 ? mailboxId : null,
        assigneeId: [null, owner.userId, colleagueId][at % 3],
      })
    ).body;
    ids.push(id);
    if (at % 8 === 6) {
      const { body: file } = await upload(house, owner, id);
      await owner.call('POST', `/tickets/${id}/messages`, { body: 'file', attachmentIds: [file.id] });
    }
    // Some tickets share an instant, and still have a fixed order.
    if (at % 4 !== 0) house.clock.advance(60_000);
    if (at % 5 === 1) await owner.call('POST', `/tickets/${id}/status`, { toStatus: statuses[at % 3] });
    if (at % 7 === 2) await owner.call('POST', `/tickets/${id}/archive`);
    if (at % 6 === 3) {
      const snoozedUntil = new Date(house.clock.now().getTime() + (at % 4 === 1 ? 90_000 : 86_400_000)).toISOString();
      await owner.call('PATCH', `/tickets/${id}`, { snoozedUntil });
    }
    if (at % 10 === 7 || at === 14) await owner.call('POST', `/tickets/${id}/spam`);
    if (at % 10 === 4 || at === 9) await owner.call('DELETE', `/tickets/${id}`);
    if (at % 9 === 8) await owner.call('POST', `/tickets/${id}/merge`, { targetTicketId: ids[0] });
  }
  return Promise.all(ids.map(async (id) => (await owner.call('GET', `/tickets/${id}?trash=true`)).body));
}

const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });

test('the web inbox assigns tickets to lists and orders them as the service does', async () => {
  const owner = await makeOwner(house);
  const colleague = await makeMember(house, owner.workspaceId, 'agent');
  const { workspaceId } = owner;
  const address = 'in@example.org';
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider: 'mail-a', address, refreshToken: 'x' });
  const rows = await makeTickets(owner, colleague.userId, mailboxId);
  // Few lists filter by time, so that most are not empty.
  const sometime = fc.option(fc.constantFrom(...rows.map(({ createdAt }) => createdAt)), { nil: undefined, freq: 1 });
  const lists = fc.record({
    status: maybe(fc.uniqueArray(fc.constantFrom(...statuses), { minLength: 1 })),
    assignee: maybe(
      fc.uniqueArray(fc.constantFrom('me', 'none', ' NONE', colleague.userId), { minLength: 1, maxLength: 2 }),
    ),
    mailbox: maybe(fc.constantFrom([mailboxId], [newId(), mailboxId], [newId()])),
    ids: fc.option(fc.constantFrom(rows.slice(0, 20).map(({ id }) => id)), { nil: undefined, freq: 1 }),
    hasAttachment: maybe(fc.boolean()),
    createdFrom: sometime,
    createdTo: sometime,
    lastMessageFrom: sometime,
    lastMessageTo: sometime,
    priority: maybe(fc.constantFrom(...priorities, 'HIGH')),
    tags: maybe(fc.uniqueArray(fc.constantFrom(...tags, 'Red'), { minLength: 1, maxLength: 2 })),
    archived: maybe(fc.constantFrom('true', 'false', 'any')),
    trash: fc.option(fc.constant(true), { nil: undefined, freq: 1 }),
    spam: fc.option(fc.constant(true), { nil: undefined, freq: 1 }),
    snoozed: maybe(fc.boolean()),
    sort: maybe(fc.constantFrom('lastMessageAt', 'createdAt', 'updatedAt', 'priority', 'waitingSince')),
    order: maybe(fc.constantFrom('asc', 'desc')),
  });
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const asked = new URLSearchParams({ limit: '500' });
      for (const [name, value] of Object.entries(list))
        for (const one of [value].flat()) if (one !== undefined) asked.append(name, String(one));
      const answer = await owner.call('GET', `/tickets?${asked}`);
      const looker = { userId: owner.userId, now: house.clock.now() };
      const expected = rows.filter((row) => belongs(list, row, looker)).sort(orderOf(list));
      expect(expected.map(({ ticketNumber }) => ticketNumber)).toEqual(
        answer.body.map(({ ticketNumber }: { ticketNumber: number }) => ticketNumber),
      );
    }),
    { numRuns: 150 },
  );
});
