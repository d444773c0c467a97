import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../src/ground/catalog/actor.ts';
import type { Role } from '../../src/ground/catalog/permissions.ts';
import type { Sight } from '../../src/ground/catalog/scope.ts';
import { replaceSightRules } from '../../src/ground/database/sight.ts';
import { type Sql, sql } from '../../src/ground/database/sql.ts';
import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { readEvents } from '../harness/event-reader.ts';
import { uploadApart } from '../harness/uploads.ts';
import { call, makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { operationsOf } from './api-walk.ts';
import { buildWalkedHouse, numberFarAhead, walkHidden } from './isolation.ts';
import { fill, makeWorld, type World } from './isolation-world.ts';

/** Members who do not see tickets with the tag. */
const outsiders = new Set<string>();
const tag = 'secret';

const sightOf = ({ userId }: Pick<Actor, 'userId'>) => (outsiders.has(userId) ? tag : '') as Sight;
const isSeen = (sight: string, ticket: Sql) =>
  sight === '' ? sql`true` : sql`${ticket}.tag_keys <> ${[sight]}::text[]`;

/** Enough for a busy machine. */
const walkTimeoutMs = 180_000;

let house: Awaited<ReturnType<typeof buildWalkedHouse>>;
let putBack: () => void;
beforeAll(async () => {
  putBack = replaceSightRules({ sightOf, isSeen });
  house = await buildWalkedHouse();
});
afterAll(async () => {
  putBack();
  await house?.close();
});

async function makeOutsider(workspaceId: WorkspaceId, role: Role = 'owner'): Promise<Person> {
  const outsider = await makeMember(house, workspaceId, role, 'outside');
  outsiders.add(outsider.userId);
  return outsider;
}

test('no route tells a member of tickets that are hidden from them', { timeout: walkTimeoutMs }, async () => {
  const { body: document } = await call(house, 'GET', '/v1/openapi.json');
  const theirs = await makeWorld(house, 'theirs');
  await fill(house, theirs, operationsOf(document));
  await numberFarAhead(house, theirs);
  const { workspaceId } = theirs.owner;
  const hide = 'update tickets set tags = $1, tag_keys = $1 where workspace_id = $2';
  await house.app.db.pool.query(hide, [[tag], workspaceId]);
  const hidden: World = { ...theirs, marker: '81234567', ids: await idsOfTickets(workspaceId) };
  const secrets = new Set([...hidden.ids.values()].flatMap((ids) => [...ids]));
  const shared = [...theirs.ids].map(
    ([name, ids]) => [name, new Set([...ids].filter((id) => !secrets.has(id)))] as const,
  );
  const owner = await makeOutsider(workspaceId);
  const { body: counts } = await owner.call('GET', '/counts');
  expect(JSON.stringify(counts)).not.toMatch(/"count":[1-9]/);
  const colleague = await makeOutsider(workspaceId, 'admin');
  const ours: World = { ...theirs, owner, colleague, ids: new Map(shared) };
  expect(await walkHidden(house, ours, hidden)).toEqual([]);
  expect([...ours.ids.values()].flatMap((ids) => [...ids]).filter((id) => secrets.has(id))).toEqual([]);
  expect(ours.ids.get('ticketId')?.size).toBeGreaterThan(5);
});

test('a search, a stream and a signed address tell nothing of a ticket from when it is hidden', async () => {
  const owner = await makeOwner(house);
  const outsider = await makeOutsider(owner.workspaceId);
  const [open, secret] = [await makeTicket(owner), await makeTicket(owner)];
  const { body: seen } = await outsider.call('GET', `/tickets/${secret.id}`);
  const url = seen.messages[0].attachments[0].url.slice(house.app.config.publicUrl.length);
  expect((await call(house, 'GET', url)).status).toBe(200);
  await outsider.call('PUT', `/tickets/${secret.id}/drafts/answer`, { version: 0, body: 'b' });
  await owner.call('PATCH', `/tickets/${secret.id}`, { assigneeId: outsider.userId });
  await house.app.db.pool.query(`update messages set delivery_status = 'failed' where ticket_id = $1`, [secret.id]);
  const toldOf = async (): Promise<string[]> => {
    const told: string[] = [];
    for (const path of ['/drafts', '/notifications', '/notifications?unread=true', '/messages/undelivered'])
      if (JSON.stringify((await outsider.call('GET', path)).body).includes(secret.id)) told.push(path);
    return told;
  };
  expect(await toldOf()).toHaveLength(4);
  const stream = await readEvents(house, outsider);
  await owner.call('PATCH', `/tickets/${secret.id}`, { tags: [tag] });
  await owner.call('PUT', `/tickets/${secret.id}/presence`, { state: 'viewing' });
  await owner.call('PATCH', `/tickets/${open.id}`, { tags: ['open'] });
  await owner.call('PUT', `/tickets/${open.id}/presence`, { state: 'viewing' });
  const events = await stream.until((told) =>
    ['ticket', 'presence'].every((name) => told.some((one) => one.event === name)),
  );
  stream.close();
  expect(JSON.stringify(events)).toContain(open.id);
  expect(JSON.stringify(events)).not.toContain(secret.id);
  expect((await call(house, 'GET', url)).status).toBe(404);
  expect(await toldOf()).toEqual([]);
  const { body: found } = await outsider.call('GET', '/tickets?search=pumpkin');
  expect(found.map(({ id }: { id: string }) => id)).toEqual([open.id]);
});

/** A ticket whose message has a file. */
async function makeTicket(owner: Person): Promise<{ id: string }> {
  const { body: file } = await uploadApart(house, owner);
  const { body } = await owner.call('POST', '/tickets', { subject: 'pumpkin', body: 'b', attachmentIds: [file.id] });
  return body;
}

async function idsOfTickets(workspaceId: WorkspaceId): Promise<World['ids']> {
  const { rows } = await house.app.db.pool.query(
    `
    select 'ticketId' as name, id::text from tickets where workspace_id = $1
    union all select 'ticketNumber', max(ticket_number)::text from tickets where workspace_id = $1
    union all select 'messageId', id::text from messages where workspace_id = $1
    union all select 'attachmentId', id::text from attachments where workspace_id = $1 and ticket_id is not null
    union all select 'rawMailId', id::text from raw_mails where workspace_id = $1 and message_id is not null`,
    [workspaceId],
  );
  const names = Map.groupBy(rows, ({ name }) => name as string);
  return new Map([...names].map(([name, found]) => [name, new Set(found.map(({ id }) => id as string))]));
}
