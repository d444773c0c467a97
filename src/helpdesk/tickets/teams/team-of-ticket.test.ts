import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingest, ingestMails, mailOf, sourceOf } from '../../../../test/worlds/mails.ts';
import { putMailbox } from '../../../../test/worlds/put-mailbox.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
let ann: Person;
let ben: Person;
/** A team that hides its tickets from Ben, and one that does not. */
let people: string;
let sales: string;

beforeEach(async () => {
  owner = await makeOwner(house);
  ann = await makeMember(house, owner.workspaceId, 'agent', 'Ann');
  ben = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
  const make = async (body: object) => (await owner.call('POST', '/teams', body)).body.id;
  people = await make({ name: 'People', visibility: 'members', memberIds: [ann.userId] });
  sales = await make({ name: 'Sales', memberIds: [ben.userId] });
});

const open = async (fields: object = {}, by = ann) => {
  const { status, body } = await by.call('POST', '/tickets', { subject: 'Pay', body: 'b', ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};
const change = (id: string, fields: object, by = ann) => by.call('PATCH', `/tickets/${id}`, fields);
const sees = async (person: Person, id: string) => (await person.call('GET', `/tickets/${id}`)).status === 200;
const idsOf = async (person: Person, query = '') =>
  (await person.call('GET', `/tickets?${query}`)).body.map(({ id }: { id: string }) => id);

async function connect(teamId: string | null): Promise<string> {
  const { workspaceId } = owner;
  const address = `${newId()}@x.org`;
  const { id } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
  await owner.call('PATCH', `/mailboxes/${id}`, { teamId });
  return id;
}

describe('a ticket moves to a team', () => {
  test('alone, with others and back, with an event each time', async () => {
    const [one, two] = [await open(), await open()];
    expect((await change(one.id, { teamId: sales })).body).toMatchObject({ teamId: sales, version: 2 });
    const { body: events } = await ann.call('GET', `/tickets/${one.id}/events`);
    expect(events.items.at(-1)).toMatchObject({ type: 'ticket.team_changed', data: { from: null, to: sales } });
    await ann.call('POST', '/tickets/bulk', { ids: [one.id, two.id], teamId: people });
    expect(await idsOf(ann, `team=${people}`)).toHaveLength(2);
    const { body: begun } = await ann.call('POST', '/tickets/bulk', { query: { team: [people] }, teamId: sales });
    await house.drain();
    expect(await idsOf(ben, 'team=mine')).toHaveLength(2);
    await ann.call('POST', `/bulk-changes/${begun.id}/undo`);
    await house.drain();
    expect(await idsOf(ann, `team=${people}`)).toHaveLength(2);
    expect(await idsOf(ben)).toEqual([]);
  });

  test('by a saved reply, which says so once the team is archived', async () => {
    const reply = { name: 'To sales', body: '', actions: { teamId: sales } };
    const { body: made } = await ann.call('POST', '/saved-replies', reply);
    const { id } = await open();
    const apply = () => ann.call('POST', `/tickets/${id}/apply`, { savedReplyId: made.id });
    expect((await apply()).body).toMatchObject({ teamId: sales });
    await owner.call('PATCH', `/teams/${sales}`, { archived: true });
    expect((await apply()).body).toMatchObject({
      key: 'saved_reply.actions_not_allowed',
      params: { action: 'teamId' },
    });
    const broken = await ann.call('POST', '/saved-replies', reply);
    expect(broken.body.params.issues).toMatchObject([{ path: 'body.actions.teamId', key: 'not_a_team' }]);
  });

  test('out of sight too, which the answer tells', async () => {
    const { id, ticketNumber } = await open({}, ben);
    const moved = await change(id, { teamId: people }, ben);
    expect(moved).toMatchObject({ status: 200, body: { teamId: people, isHidden: true } });
    expect(await change(id, { teamId: null }, ben)).toMatchObject({ status: 404 });
    expect((await ben.call('GET', `/tickets/number/${ticketNumber}`)).status).toBe(404);
    const other = await open({}, ben);
    const { body: made } = await ben.call('POST', '/saved-replies', {
      name: 'r',
      body: 'b',
      actions: { teamId: people },
    });
    const answer = { savedReplyId: made.id, runActions: true, isInternal: true };
    expect((await ben.call('POST', `/tickets/${other.id}/messages`, answer)).status).toBe(201);
    expect(await sees(ben, other.id)).toBe(false);
    const { body: begun } = await ben.call('POST', '/tickets/bulk', { query: { team: ['none'] }, teamId: people });
    expect(begun).toMatchObject({ params: { issues: [{ key: 'matches_nothing' }] } });
    const third = await open({}, ben);
    await ben.call('POST', '/tickets/bulk', { query: { team: ['none'] }, teamId: people });
    await house.drain();
    expect([await sees(ben, third.id), await sees(ann, third.id)]).toEqual([false, true]);
  });
});

test('a filter by a team that is not there is refused, and none and mine are the own ones', async () => {
  const [plain, ours] = [await open({}, ben), await open({ teamId: sales }, ben)];
  expect(await idsOf(ben, 'team=none')).toEqual([plain.id]);
  expect(await idsOf(ben, `team=MINE&team=${people}`)).toEqual([ours.id]);
  expect(new Set(await idsOf(ben, 'team=none&team=mine'))).toEqual(new Set([plain.id, ours.id]));
  const { body: theirs } = await (await makeOwner(house)).call('POST', '/teams', { name: 'Theirs' });
  const issues = [{ key: 'not_a_team' }];
  expect((await ben.call('GET', '/tickets?team=all')).body.params).toMatchObject({ issues });
  expect([await idsOf(ben, `team=${newId()}`), await idsOf(ben, `team=${theirs.id}`)]).toEqual([[], []]);
  for (const team of [newId(), 'all', theirs.id]) {
    expect((await ben.call('POST', '/views', { name: 'v', query: { team: [team] } })).body.params).toMatchObject({
      issues,
    });
    const bulk = { query: { team: [team] }, status: 'closed' };
    expect((await ben.call('POST', '/tickets/bulk', bulk)).body.params).toMatchObject({ issues });
  }
});

test('the counts of teams are those of the tickets that their reader sees', async () => {
  await open({ teamId: people });
  await open({ teamId: sales, assigneeId: ben.userId });
  await open({ teamId: sales });
  const countsOf = async (person: Person) => {
    const { teams } = (await person.call('GET', '/counts')).body;
    return teams.map(({ teamId, open, unassigned }: any) => [teamId, open.count, unassigned.count]);
  };
  expect(await countsOf(ann)).toEqual([
    [people, 1, 1],
    [sales, 2, 1],
  ]);
  expect(await countsOf(ben)).toEqual([
    [people, 0, 0],
    [sales, 2, 1],
  ]);
  const { body: start } = await ben.call('GET', '/start');
  expect(start.teams).toMatchObject([
    { id: people, isMember: false },
    { id: sales, isMember: true },
  ]);
  expect(start.counts.lists.open.count).toBe(2);
});

describe('the tickets of a mailbox', () => {
  test('begin in its team, old ones too, and replies stay in the team of their ticket', async () => {
    const mailboxId = await connect(people);
    const source = { ...sourceOf(house, owner), mailboxId };
    await ingestMails(house.app, source, [mailOf({ headers: { 'Message-ID': '<a@x.org>' } })]);
    await ingestMails(house.app, { ...source, origin: 'import' }, [mailOf({ headers: { Subject: 'Old' } })]);
    // Mail of a mailbox is due work.
    await house.drain();
    expect((await ann.call('GET', '/tickets')).body).toMatchObject([{ teamId: people }, { teamId: people }]);
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<a@x.org>' }, body: 'More.' })]);
    expect(await idsOf(ben)).toEqual([]);
    expect(await open({ mailboxId }, ben)).toMatchObject({ teamId: people });
    expect(await open({ mailboxId, teamId: null }, ben)).toMatchObject({ teamId: null });
  });

  test('are given to nobody outside, and a mail to a trashed one continues it in its team', async () => {
    const mailboxId = await connect(people);
    await owner.call('PATCH', `/mailboxes/${mailboxId}`, { defaultAssigneeId: ben.userId });
    const source = { ...sourceOf(house, owner), mailboxId };
    await ingestMails(house.app, source, [mailOf({ headers: { 'Message-ID': '<t@x.org>' } })]);
    await house.drain();
    const [{ id }] = (await ann.call('GET', '/tickets')).body;
    expect((await ann.call('GET', `/tickets/${id}`)).body).toMatchObject({ teamId: people, assigneeId: null });
    await ann.call('DELETE', `/tickets/${id}`);
    await ingest(house, owner, [mailOf({ headers: { 'In-Reply-To': '<t@x.org>' }, body: 'More.' })]);
    const [next] = (await ann.call('GET', '/tickets')).body;
    expect(next).toMatchObject({ teamId: people, messageCount: 1 });
    await ann.call('DELETE', `/tickets/${next.id}`);
    const other = { ...source, mailboxId: await connect(null) };
    await owner.call('PATCH', `/mailboxes/${other.mailboxId}`, { defaultAssigneeId: ben.userId });
    const again = mailOf({ headers: { 'In-Reply-To': '<t@x.org>', 'Message-ID': '<u@x.org>' }, body: 'Again.' });
    await ingestMails(house.app, other, [again]);
    await house.drain();
    expect((await ann.call('GET', '/tickets')).body).toMatchObject([{ teamId: people, assigneeId: null }]);
    expect(await idsOf(ben)).toEqual([]);
  });

  test('go along to the team of another mailbox, unless people have chosen a team', async () => {
    const [hiring, shop, none] = [await connect(people), await connect(sales), await connect(null)];
    const { id } = await open({ mailboxId: hiring });
    for (const [mailboxId, teamId] of [
      [shop, sales],
      [none, null],
      [hiring, people],
    ])
      expect((await change(id, { mailboxId })).body).toMatchObject({ mailboxId, teamId });
    expect((await change(id, { mailboxId: null })).body.teamId).toBe(people);
    const chosen = await open({ mailboxId: hiring, teamId: sales });
    expect((await change(chosen.id, { mailboxId: none })).body.teamId).toBe(sales);
    const { body: made } = await ann.call('POST', '/saved-replies', {
      name: 'r',
      body: 'b',
      actions: { mailboxId: shop },
    });
    const moved = await open({ mailboxId: hiring });
    await ann.call('POST', `/tickets/${moved.id}/messages`, { savedReplyId: made.id, runActions: true });
    expect((await ann.call('GET', `/tickets/${moved.id}`)).body).toMatchObject({ mailboxId: shop, teamId: sales });
  });
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

test('a team is told of a ticket that moves to it, once a member has asked for that', async () => {
  const typesOf = async (person: Person) =>
    (await person.call('GET', '/notifications')).body.items.map(({ type, title }: any) => [type, title]);
  const { id, ticketNumber } = await open();
  await change(id, { teamId: sales });
  expect(await typesOf(ben)).toEqual([]);
  await ben.call('PATCH', '/v1/me/notification-preferences', { types: { team_assignment: { inApp: true } } });
  await change(id, { teamId: null });
  await change(id, { teamId: sales });
  expect(await typesOf(ben)).toEqual([['team_assignment', `#${ticketNumber} Pay was given to your team`]]);
  expect(await typesOf(ann)).toEqual([]);
});
