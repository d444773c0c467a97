import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { workOnBulkChange } from './run-bulk-change.ts';

/** Bulk changes that move tickets into or out of the trash or spam, along with what else they change. */

const house = useHouse();
let owner: Person;
beforeEach(async () => {
  owner = await makeOwner(house);
});

const make = async (): Promise<string> =>
  (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', tags: ['x'] })).body.id;
const listed = async () => (await owner.call('GET', '/tickets')).body;

/** A change of some tickets, some time after the one before. */
async function change(ids: readonly string[], body: object): Promise<void> {
  house.clock.advance(1_000);
  const { results } = (await owner.call('POST', '/tickets/bulk', { ids, ...body })).body;
  expect(results.map(({ status }: { status: number }) => status)).toEqual(ids.map(() => 200));
}

/** A change by query, and its undo. @returns what the undo says */
async function changeByQuery(body: object): Promise<() => Promise<any>> {
  house.clock.advance(1_000);
  const { id } = (await owner.call('POST', '/tickets/bulk', body)).body;
  await finish(id);
  return async () => {
    house.clock.advance(1_000);
    expect((await owner.call('POST', `/bulk-changes/${id}/undo`)).status).toBe(202);
    return finish(id);
  };
}

async function finish(id: string): Promise<any> {
  for (;;) {
    const { body } = await owner.call('GET', `/bulk-changes/${id}`);
    if (body.state !== 'running' && body.state !== 'undoing') return body;
    await workOnBulkChange(house.app.db, { workspaceId: owner.workspaceId, id });
  }
}

const stateOf = (id: string) =>
  house.app.db.one<{ archivedAt: Date | null; spamAt: Date | null; trashedAt: Date | null }>(sql`
    select archived_at as "archivedAt", spam_at as "spamAt", trashed_at as "trashedAt"
    from tickets where workspace_id = ${owner.workspaceId} and id = ${id}`);

const mail = (id: string, headers: Record<string, string> = {}) =>
  mailOf({ headers: { Subject: 'Printer', 'Message-ID': `<${id}@example.org>`, ...headers } });
const replyTo = (id: string) => mail(`re-${id}`, { Subject: 'Re: Printer', 'In-Reply-To': `<${id}@example.org>` });

test.each([{ status: 'closed' }, { archive: true }, { trash: true }])(
  'a ticket that is no spam and also %o is unread for nobody',
  async (also) => {
    await makeMember(house, owner.workspaceId, 'agent');
    await ingest(house, owner, [mail('first')]);
    const [{ id }] = await ticketsOf(owner);
    await change([id], { spam: true });
    await ingest(house, owner, [replyTo('first')]);
    await change([id], { spam: false, ...also });
    const unread = await house.app.db.rows<{ userId: string }>(sql`
      select user_id as "userId" from unread_tickets
      where workspace_id = ${owner.workspaceId} and ticket_id = ${id}`);
    expect(unread).toEqual([]);
  },
);

test.each(['spam', 'trash'])(
  'the undo of a way out of %s archives the ticket, whatever happened meanwhile',
  async (place) => {
    const id = await make();
    await change([id], { archive: true });
    await change([id], { [place]: true });
    const undo = await changeByQuery({ query: { tags: ['x'], [place]: true }, [place]: false });
    await change([id], { archive: false });
    expect(await undo()).toMatchObject({ state: 'undone' });
    expect((await stateOf(id)).archivedAt).not.toBeNull();
    expect(await listed()).toEqual([]);
  },
);

test('the undo of an archive leaves a ticket archived that became spam', async () => {
  const id = await make();
  const undo = await changeByQuery({ query: { tags: ['x'] }, archive: true });
  await change([id], { spam: true });
  await undo();
  const { spamAt, archivedAt } = await stateOf(id);
  expect(archivedAt).toEqual(spamAt);
});

test.each([
  [{ trash: true }, { trash: false, spam: true }, { spam: false }],
  [{ spam: true }, { spam: false, trash: true }, { trash: false }],
])('a merged ticket goes along through %o, %o and %o', async (...ways) => {
  const [target, source] = [await make(), await make()];
  await owner.call('POST', `/tickets/${source}/merge`, { targetTicketId: target });
  for (const way of ways) await change([target], way);
  const shown = { archivedAt: null, spamAt: null, trashedAt: null };
  expect([await stateOf(target), await stateOf(source)]).toEqual([shown, shown]);
});

test('each mail that was missed in spam has a notification that names it', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  await ingest(house, owner, [mail('a', { Subject: 'A' }), mail('b', { Subject: 'B' })]);
  const ids = (await ticketsOf(owner)).map(({ id }) => id);
  await change(ids, { assigneeId: agent.userId });
  await change(ids, { spam: true });
  await ingest(house, owner, [replyTo('a'), replyTo('b')]);
  await change(ids, { spam: false });
  const told = await house.app.db.rows<{ about: string; of: string }>(sql`
    select n.reference_id as about, m.ticket_id as of
    from notifications n
    join messages m on m.workspace_id = n.workspace_id and m.id = n.message_id
    where n.workspace_id = ${owner.workspaceId} and n.user_id = ${agent.userId} and n.type = 'reply'`);
  expect(told.map(({ about }) => about).sort()).toEqual([...ids].sort());
  expect(told.map(({ of }) => of)).toEqual(told.map(({ about }) => about));
});
