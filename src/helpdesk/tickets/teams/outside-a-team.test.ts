import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import type { Person } from '../../../../test/worlds/factories.ts';
import { idsOf, makeTwoTeams, sees, type TwoTeams } from '../../../../test/worlds/teams/two-teams.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse();
let owner: TwoTeams['owner'];
let ann: TwoTeams['ann'];
let ben: TwoTeams['ben'];
let people: TwoTeams['people'];
let sales: TwoTeams['sales'];
let open: TwoTeams['open'];
let change: TwoTeams['change'];
let connect: TwoTeams['connect'];

beforeEach(async () => {
  ({ owner, ann, ben, people, sales, open, change, connect } = await makeTwoTeams(house));
});

describe('somebody outside a restricted team', () => {
  test('writes from another mailbox than its own, unless they ask for that one', async () => {
    const [hiring, shop] = [await connect(people), await connect(null)];
    const mailed = { sendEmail: true, toAddresses: ['cleo@example.org'] };
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailboxes set send_status = 'active' where id in (${hiring}, ${shop})`),
    );
    expect(await open(mailed, ben)).toMatchObject({ mailboxId: shop, teamId: null });
    expect(await open(mailed, ann)).toMatchObject({ mailboxId: hiring, teamId: people });
  });

  test('cannot be its assignee, unless they follow the ticket', async () => {
    const { id } = await open({ teamId: people });
    const refused = { status: 409, body: { key: 'ticket.assignee_outside_team' } };
    expect(await change(id, { assigneeId: ben.userId })).toMatchObject(refused);
    const mine = { subject: 's', body: 'b', teamId: people, assigneeId: ben.userId };
    expect(await ann.call('POST', '/tickets', mine)).toMatchObject(refused);
    expect(await change(id, { assigneeId: owner.userId })).toMatchObject({ status: 200 });
    await ann.call('POST', `/tickets/${id}/followers`, { userId: ben.userId });
    expect(await sees(ben, id)).toBe(true);
    expect(await change(id, { assigneeId: ben.userId })).toMatchObject({ status: 200 });
    await ann.call('DELETE', `/tickets/${id}/followers/${ben.userId}`);
    expect(await sees(ben, id)).toBe(true);
    await change(id, { assigneeId: null });
    expect(await sees(ben, id)).toBe(false);
  });

  test('keeps a ticket that they have when it moves there, and gets none back by an undo', async () => {
    const { id } = await open({ assigneeId: ben.userId });
    await change(id, { teamId: people });
    expect(await sees(ben, id)).toBe(true);
    const { body: begun } = await ann.call('POST', '/tickets/bulk', { query: { ids: [id] }, assigneeId: null });
    await house.drain();
    await ann.call('POST', `/bulk-changes/${begun.id}/undo`);
    await house.drain();
    expect((await ann.call('GET', `/tickets/${id}`)).body.assigneeId).toBeNull();
    expect((await ann.call('GET', `/bulk-changes/${begun.id}`)).body).toMatchObject({ kept: 1 });
  });

  test('is not reached by a mention, and does not come along by a merge', async () => {
    const [ours, theirs] = [await open({ teamId: people }), await open({}, ben)];
    const note = { body: `@[Ben](user:${ben.userId}) @[Owner](user:${owner.userId})`, isInternal: true };
    const { body: answer } = await ann.call('POST', `/tickets/${ours.id}/messages`, note);
    expect(answer.ignoredMentions).toEqual([ben.userId]);
    await ben.call('POST', `/tickets/${theirs.id}/followers`);
    await ann.call('POST', `/tickets/${theirs.id}/merge`, { targetTicketId: ours.id });
    expect(await sees(ben, ours.id)).toBe(false);
    const { body: followers } = await ann.call('GET', `/tickets/${ours.id}/followers`);
    expect(JSON.stringify(followers)).toContain(owner.userId);
    const small = await open({ teamId: people });
    await ann.call('POST', `/tickets/${small.id}/followers`, { userId: ben.userId });
    await ann.call('POST', `/tickets/${small.id}/merge`, { targetTicketId: ours.id });
    expect(await sees(ben, ours.id)).toBe(false);
  });

  test('reads, stops and undoes no bulk change but their own', async () => {
    const { id } = await open({ teamId: people });
    await open({}, ben);
    const begin = async (by: Person, query: object) => {
      const { body } = await by.call('POST', '/tickets/bulk', { query, addTags: ['seen'] });
      await house.drain();
      return body.id;
    };
    const [theirs, own] = [await begin(ann, { ids: [id] }), await begin(ben, { team: ['none'] })];
    const idsFor = async (by: Person) => (await by.call('GET', '/bulk-changes')).body.map((one: any) => one.id);
    expect([await idsFor(ben), await idsFor(owner)]).toEqual([[own], [own, theirs]]);
    const missing = { status: 404, body: { key: 'bulk_change.not_found' } };
    expect(await ben.call('GET', `/bulk-changes/${theirs}`)).toMatchObject(missing);
    for (const verb of ['stop', 'undo'])
      expect(await ben.call('POST', `/bulk-changes/${theirs}/${verb}`)).toMatchObject(missing);
    expect((await ben.call('POST', `/bulk-changes/${own}/undo`)).status).toBe(202);
    await owner.call('POST', `/bulk-changes/${theirs}/undo`);
    await house.drain();
    expect((await owner.call('GET', `/bulk-changes/${theirs}`)).body).toMatchObject({ undone: 1, kept: 0 });
  });
});

test('an owner who opens a ticket of a restricted team from outside leaves one entry an hour', async () => {
  const { id, ticketNumber } = await open({ teamId: people });
  // The token would expire meanwhile.
  const asOwner = (method: string, path: string) =>
    owner.call(method, path, undefined, { authorization: `Bearer ${house.app.tokens.sign(owner)}` });
  const look = (path: string) => asOwner('GET', `/tickets/${path}`);
  const entries = async () =>
    (await asOwner('GET', '/audit?type=ticket.opened_by_owner')).body.items.map(({ data }: any) => data);
  const shown = await open({ teamId: sales });
  await Promise.all([look(id), look(`number/${ticketNumber}`)]);
  expect(await entries()).toEqual([{ ticketNumber }]);
  house.clock.advance(3_700_000);
  await look(`${id}/messages`);
  expect(await entries()).toHaveLength(2);
  await asOwner('POST', `/tickets/${id}/followers`);
  house.clock.advance(3_700_000);
  await look(id);
  await look(shown.id);
  expect(await entries()).toHaveLength(2);
});

test('a member with access to teams sees only those of their teams, and what they have', async () => {
  const [plain, ours, given] = [await open(), await open({ teamId: sales }), await open()];
  await owner.call('PATCH', `/members/${ben.userId}`, { access: 'teams' });
  expect(await idsOf(ben)).toEqual([ours.id]);
  await change(given.id, { assigneeId: ben.userId });
  expect(new Set(await idsOf(ben))).toEqual(new Set([ours.id, given.id]));
  expect(await sees(ben, plain.id)).toBe(false);
  expect(await sees(ben, (await open({}, ben)).id)).toBe(true);
  const { body: log } = await owner.call('GET', '/audit?type=member.access_changed');
  expect(log.items).toMatchObject([{ data: { from: 'all', to: 'teams' } }]);
  await owner.call('PATCH', `/members/${ben.userId}`, { access: 'all' });
  expect(await sees(ben, plain.id)).toBe(true);
});

test('a mention and a merge show no ticket of others to a member with access to teams', async () => {
  await owner.call('PATCH', `/members/${ben.userId}`, { access: 'teams' });
  const [followed, plain, ours] = [await open(), await open(), await open({ teamId: sales })];
  await ann.call('POST', `/tickets/${followed.id}/followers`, { userId: ben.userId });
  const ignored = async (id: string) => {
    const note = { body: `@[Ben](user:${ben.userId})`, isInternal: true };
    return (await ann.call('POST', `/tickets/${id}/messages`, note)).body.ignoredMentions ?? [];
  };
  expect(await ignored(plain.id)).toEqual([ben.userId]);
  for (const { id } of [followed, ours]) expect(await ignored(id)).toEqual([]);
  await ann.call('POST', `/tickets/${followed.id}/merge`, { targetTicketId: plain.id });
  expect(await sees(ben, plain.id)).toBe(false);
  const given = await open({ assigneeId: ben.userId });
  expect(await ignored(given.id)).toEqual([]);
  await ann.call('POST', `/tickets/${given.id}/followers`, { userId: ben.userId });
  const target = await open({ teamId: sales });
  await ann.call('POST', `/tickets/${given.id}/merge`, { targetTicketId: target.id });
  expect(JSON.stringify((await ann.call('GET', `/tickets/${target.id}/followers`)).body)).toContain(ben.userId);
});

test('a contact is hidden while all of its tickets are', async () => {
  const requester = { email: 'cleo@example.org', name: 'Cleo' };
  const { requester: found } = await open({ teamId: people, requester });
  const { contactId } = found;
  const listed = async () => (await ben.call('GET', '/contacts')).body.map(({ email }: any) => email);
  const asked = () =>
    Promise.all([
      ben.call('GET', `/contacts/${contactId}`),
      ben.call('PATCH', `/contacts/${contactId}`, { name: 'Other' }),
      ben.call('PUT', `/contacts/${contactId}/remote-images`, { mode: 'always' }),
    ]);
  expect([await listed(), (await ben.call('GET', '/contacts?search=cleo')).body]).toEqual([[], []]);
  expect((await asked()).map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await ann.call('GET', `/contacts/${contactId}`)).status).toBe(200);
  const issueOf = async (method: string, path: string, contact: string) => {
    const { body } = await ben.call(method, path, { name: 'v', query: { contact } });
    return body.params?.issues.map(({ key }: any) => key);
  };
  for (const contact of [contactId, newId()]) {
    expect(await issueOf('POST', '/views', contact)).toEqual(['not_a_contact']);
    const preview = { query: { contact }, addTags: ['t'] };
    expect((await ben.call('POST', '/tickets/bulk/preview', preview)).body.params.issues).toMatchObject([
      { key: 'not_a_contact' },
    ]);
  }
  await open({ requester });
  expect(await listed()).toEqual(['cleo@example.org']);
  expect((await asked()).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ben.call('GET', `/contacts/${contactId}`)).body.tickets).toHaveLength(1);
});
