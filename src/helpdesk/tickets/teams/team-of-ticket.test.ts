import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingest, ingestMails, mailOf, sourceOf } from '../../../../test/worlds/mails.ts';
import { idsOf, makeTwoTeams, sees, type TwoTeams } from '../../../../test/worlds/teams/two-teams.ts';
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
