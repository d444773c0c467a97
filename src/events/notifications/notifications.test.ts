import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { record } from '../activity/record.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann');
});

const assign = async (to: Person): Promise<void> => {
  const { status } = await owner.call('POST', '/tickets', { subject: 'Help', body: 'b', assigneeId: to.userId });
  expect(status).toBe(201);
};
const unreadOf = async (person: Person): Promise<number> =>
  (await person.call('GET', '/notifications/unread-count')).body.count;

async function walk(person: Person, query = ''): Promise<any[]> {
  const items = [];
  for (let next = ''; ; ) {
    const { status, body } = await person.call('GET', `/notifications?limit=2${query}${next}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.nextCursor === undefined) return items;
    next = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

describe('reading', () => {
  test('read-all marks all current notifications read, once, and returns their number', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'viewer');
    for (let n = 0; n < 3; n++) await assign(reader);
    await reader.call('PATCH', `/notifications/${(await walk(reader))[0].id}/read`);
    const other = await makeMember(house, owner.workspaceId, 'agent');
    await assign(other);
    expect(await reader.call('POST', '/notifications/read-all')).toMatchObject({ status: 200, body: { count: 2 } });
    expect(await reader.call('POST', '/notifications/read-all', '')).toMatchObject({ body: { count: 0 } });
    expect(await unreadOf(reader)).toBe(0);
    expect(await unreadOf(other)).toBe(1);
    expect((await walk(reader)).map(({ readAt }) => typeof readAt)).toEqual(['string', 'string', 'string']);
  });

  test('a notification of a bulk change is unread again when it covers another ticket', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Help', body: 'b' });
    const fact = { ticketId: ticket.id, type: 'ticket.assigned', data: { from: null, to: reader.userId } } as const;
    const change = (id: string) =>
      house.app.db.tx((tx) => record(tx, { ...owner, cause: { kind: 'bulk_change', id } }, fact));
    const [first, second] = [newId(), newId()];
    await change(first);
    const [one] = await walk(reader);
    expect(one).toMatchObject({ count: 1, title: `You were assigned #${ticket.ticketNumber} Help` });
    await reader.call('PATCH', `/notifications/${one.id}/read`);
    await Promise.all([change(first), change(second), change(first)]);
    expect(await walk(reader, '&unread=true')).toMatchObject([
      { count: 1, readAt: null },
      { id: one.id, count: 3, title: 'You were assigned 3 tickets', readAt: null },
    ]);
  });

  test('a notification is in the language of its reader', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    await reader.call('PATCH', '/v1/me/preferences', { locale: 'de-CH' });
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Hilfe', body: 'b' });
    const { body: other } = await owner.call('POST', '/tickets', { subject: 'Mehr', body: 'b' });
    await owner.call('PATCH', `/tickets/${ticket.id}`, { assigneeId: reader.userId });
    const ids = [ticket.id, other.id];
    await owner.call('POST', '/tickets/bulk', { ids, assigneeId: owner.userId });
    await owner.call('POST', '/tickets/bulk', { ids, assigneeId: reader.userId });
    expect((await walk(reader)).map(({ title }) => title)).toEqual([
      'Ihnen wurden 2 Tickets zugewiesen',
      `Ihnen wurde #${ticket.ticketNumber} Hilfe zugewiesen`,
    ]);
  });

  test('unread notifications are listed alone, in pages', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    for (let n = 0; n < 5; n++) await assign(reader);
    const [, second] = await walk(reader);
    await reader.call('PATCH', `/notifications/${second.id}/read`);
    const unread = await walk(reader, '&unread=true');
    expect(unread).toHaveLength(4);
    expect(unread.map(({ readAt }) => readAt)).toEqual([null, null, null, null]);
    expect(await walk(reader, '&unread=false')).toHaveLength(5);
  });

  test('an invalid cursor is refused', async () => {
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const id = newId();
    const snapshots = ['', '1', '0:1:', '5:4:', '1:3:3', '1:9:4,2', '1:9:4,', '1:99999999999999999999:', 'a:b:', null];
    const cursors = ['x', cursorOf(null), cursorOf({ id }), ...snapshots.map((snapshot) => cursorOf({ id, snapshot }))];
    for (const cursor of cursors) {
      const answer = await agent.call('GET', `/notifications?unread=true&cursor=${cursor}`);
      expect([cursor, answer.status, answer.body.key]).toEqual([cursor, 400, 'request.invalid']);
    }
    const good = cursorOf({ id, snapshot: '1:9:4,7' });
    expect((await agent.call('GET', `/notifications?unread=true&cursor=${good}`)).status).toBe(200);
  });
});

describe('the pages of a list that changes meanwhile', () => {
  /** Between two pages a notification arrives, is read, or commits late under an earlier id. */
  const happening = fc.constantFrom('arrive', 'arrive late', 'read one', 'read all', 'nothing');

  const insert = (person: Person, id: string) =>
    house.app.db.tx(async (tx) => {
      const activityId = tx.newId();
      await tx.run(sql`
        insert into activity (workspace_id, id, ticket_id, type, actor_type, data, created_at)
        select ${person.workspaceId}, ${activityId}, id, 'ticket.assigned', 'system', '{}', ${tx.now}
        from tickets where workspace_id = ${person.workspaceId} limit 1`);
      await tx.run(sql`
        insert into notifications (workspace_id, id, user_id, type, reference_id, activity_id, title, created_at)
        select workspace_id, ${id}, ${person.userId}, 'assignment', ticket_id, ${activityId}, 't', ${tx.now}
        from activity where workspace_id = ${person.workspaceId} and id = ${activityId}`);
    });

  test.each(['', '&unread=true'])('show each notification from before the first page exactly once%s', async (query) => {
    await assign(agent);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(happening, { minLength: 1, maxLength: 8 }),
        async (count, limit, happenings) => {
          const reader = await makeMember(house, owner.workspaceId, 'agent');
          // Ids are assigned before the commit, so the ids of late commits fall between earlier ids.
          const [earlier, late]: [string[], string[]] = [[], []];
          for (let n = 0; n < count; n++) {
            earlier.push(newId());
            late.push(newId());
          }
          for (const id of earlier) await insert(reader, id);
          const shown: string[] = [];
          let next = '';
          for (let page = 0; ; page++) {
            const { body } = await reader.call('GET', `/notifications?limit=${limit}${query}${next}`);
            shown.push(...body.items.map(({ id }: { id: string }) => id));
            if (body.nextCursor === undefined) break;
            next = `&cursor=${body.nextCursor}`;
            const what = happenings[page % happenings.length];
            if (what === 'arrive') await insert(reader, newId());
            if (what === 'arrive late') await insert(reader, late.shift() ?? newId());
            if (what === 'read one') await reader.call('PATCH', `/notifications/${earlier[page % count]}/read`);
            if (what === 'read all') await reader.call('POST', '/notifications/read-all');
          }
          expect(shown.filter((id) => earlier.includes(id))).toEqual(earlier.toReversed());
          expect(new Set(shown).size).toBe(shown.length);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('omit notifications read before the first page, and show those whose reading had not committed', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    const ids = Array.from({ length: 4 }, newId);
    for (const id of ids) await insert(reader, id);
    const [oldest, older] = ids;
    await reader.call('PATCH', `/notifications/${oldest}/read`);
    let nextCursor = '';
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`
        update notifications set read_at = ${tx.now}, read_transaction_id = pg_current_xact_id()
        where workspace_id = ${reader.workspaceId} and id = ${older}`);
      ({ nextCursor } = (await reader.call('GET', '/notifications?limit=2&unread=true')).body);
    });
    const { body } = await reader.call('GET', `/notifications?limit=2&unread=true&cursor=${nextCursor}`);
    expect(body.items).toMatchObject([{ id: older, readAt: expect.any(String) }]);
    expect(body.nextCursor).toBeUndefined();
  });
});
