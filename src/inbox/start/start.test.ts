import { beforeAll, expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { decodePosition } from '../../events/activity/position.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import { pastTransaction } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
let owner: Person;
let viewer: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  viewer = await makeMember(house, owner.workspaceId, 'viewer');
  await owner.call('POST', '/views', { name: 'Blue', query: { tags: ['blue'] }, isShared: true });
  for (const tags of [['Blue', 'red'], ['blue'], ['green']])
    await owner.call('POST', '/tickets', { subject: 's', body: 'b', tags });
});

const start = async (person: Person): Promise<any> => (await person.call('GET', '/start')).body;

test('one answer equals the separate answers of its parts', async () => {
  const { position, permissions, tags, ...parts } = await start(viewer);
  const alone = async (path: string) => (await viewer.call('GET', path)).body;
  const me = await alone('/v1/me');
  expect(parts).toEqual({
    user: me.user,
    workspaces: me.workspaces,
    workspace: await alone(''),
    preferences: await alone('/v1/me/preferences'),
    members: await alone('/members'),
    views: await alone('/views'),
    mailboxes: await alone('/mailboxes'),
    teams: await alone('/teams'),
    counts: { ...(await alone('/counts')), position: parts.counts.position },
    unreadNotifications: (await alone('/notifications/unread-count')).count,
  });
  expect(tags).toEqual(['blue', 'green', 'red']);
  expect(permissions).toContain('ticket.read');
  expect(permissions.every((name: any) => roleMay('viewer', name))).toBe(true);
});

test('a stream from its position misses nothing', async () => {
  const { position } = await start(viewer);
  const { id } = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body;
  const stream = await readEvents(house, viewer, { lastEventId: position });
  const events = await stream.until((all) => all.some(({ data }) => data?.ticketId === id));
  expect(events.filter(({ event }) => event === 'reset')).toEqual([]);
  stream.close();
});

test('a stream from its position leaves out history that was imported a moment ago', async () => {
  const importer = await makeOwner(house);
  await importer.call('POST', '/tickets', { subject: 'Imported', body: 'b' });
  await house.app.db.rows(sql`
    update activity set transaction_id = ${pastTransaction}::xid8 where workspace_id = ${importer.workspaceId}`);
  const { position } = await start(importer);
  expect(decodePosition(position)?.transactionId).toBeGreaterThan(BigInt(pastTransaction));
});

test('an API key sees only its own workspace and the permissions of keys', async () => {
  await owner.call('POST', '/v1/workspaces', { name: 'Another' });
  expect((await start(owner)).workspaces).toHaveLength(2);
  const { secret } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'admin' })).body;
  const { workspaces, permissions } = await start({
    ...owner,
    call: (method, path, body) => owner.call(method, path, body, { authorization: `Bearer ${secret}` }),
  });
  expect(workspaces).toMatchObject([{ id: owner.workspaceId }]);
  expect(permissions).not.toContain('key.manage');
  expect(permissions).toContain('mailbox.manage');
});
