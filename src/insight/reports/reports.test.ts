import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();

/** Moves all that has happened so far into the past. */
async function pass({ workspaceId }: Person, span: string): Promise<void> {
  await house.app.db.tx(async (tx) => {
    const ofThem = sql`where workspace_id = ${workspaceId}`;
    await tx.run(sql`
      update tickets set created_at = ${earlier(sql`created_at`, span)}, closed_at = ${earlier(sql`closed_at`, span)}
      ${ofThem}`);
    await tx.run(sql`
      update messages set created_at = ${earlier(sql`created_at`, span)},
        arrived_at = ${earlier(sql`arrived_at`, span)}, delivery_sent_at = ${earlier(sql`delivery_sent_at`, span)}
      ${ofThem}`);
    await tx.run(sql`update activity set created_at = ${earlier(sql`created_at`, span)} ${ofThem}`);
    // No fact tells of times that move.
    await tx.run(sql`delete from report_readers ${ofThem}`);
  });
}

const day = 86_400_000;
const span = (fromDays: number, toDays: number) => {
  const at = (days: number) => new Date(Date.now() + days * day).toISOString();
  return `from=${at(fromDays)}&to=${at(toDays)}`;
};
const read = async (person: Person, what: string, query: string) => {
  const answer = await person.call('GET', `/reports/${what}?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

describe('a week of a team', () => {
  let owner: Person;
  let agent: Person;
  const inHours = (seconds: number) => Math.round(seconds / 3_600);

  beforeAll(async () => {
    owner = await makeOwner(house);
    agent = await makeMember(house, owner.workspaceId, 'agent');
    const ask = { subject: 's', body: 'b', requester: { email: 'ann@example.org' }, tags: ['bike'] };
    const first = (await owner.call('POST', '/tickets', ask)).body;
    await owner.call('POST', '/tickets', { ...ask, priority: 'high' });
    await pass(owner, '2 hours');
    await agent.call('POST', `/tickets/${first.id}/messages`, { body: 'Yes.' });
    await pass(owner, '1 hour');
    await owner.call('POST', `/tickets/${first.id}/status`, { toStatus: 'closed' });
    await pass(owner, '1 day');
  });

  test('says who waited for how long', async () => {
    const { figures, backlog, before, isComplete } = await read(owner, 'overview', `${span(-3, 0)}&interval=day`);
    expect(isComplete).toBe(true);
    const { firstResponse, resolution } = figures;
    expect(figures).toMatchObject({ created: 2, oneTouch: 1, reopened: 0 });
    expect(firstResponse).toMatchObject({ count: 1, tickets: 1 });
    expect([firstResponse.mean, firstResponse.median, firstResponse.p90].map(inHours)).toEqual([2, 2, 2]);
    expect([resolution.count, inHours(resolution.median)]).toEqual([1, 3]);
    expect(backlog).toBe(1);
    expect(before.created).toBe(0);
  });

  test('divides them by day, with the tickets that were open at the end of each', async () => {
    const { series } = await read(owner, 'overview', `${span(-3, 0)}&interval=day&timeZone=Europe/Berlin`);
    expect(series.length).toBeGreaterThanOrEqual(3);
    expect(series.reduce((sum: number, { created }: any) => sum + created, 0)).toBe(2);
    expect(series[0].backlog).toBe(0);
    expect(series.at(-1).backlog).toBe(1);
  });

  test.each([
    ['tag', [['bike', 2]]],
    [
      'priority',
      [
        ['normal', 1],
        ['high', 1],
      ],
    ],
    ['channel', [['api', 2]]],
    ['team', [[null, 2]]],
  ] as const)('divides them by %s', async (by, expected) => {
    const { groups } = await read(owner, 'groups', `${span(-3, 0)}&by=${by}`);
    expect(groups.map(({ key, created }: any) => [key, created]).sort()).toEqual([...expected].sort());
  });

  test('shows members to admins, and an agent only to themself, unless the workspace compares none', async () => {
    const members = `${span(-3, 0)}&by=member`;
    const times = span(-3, 0).replace('from=', '').replace('&to=', '/');
    const { groups } = await read(owner, 'groups', members);
    expect(groups.map(({ key }: any) => key).sort()).toEqual([agent.userId, owner.userId].sort());
    const own = (await read(agent, 'groups', members)).groups;
    expect(own.map(({ key }: any) => key)).toEqual([agent.userId]);
    const listOfMember = ({ userId }: Person) => `/tickets?archived=any&happened=response/${times}/${userId}`;
    expect((await owner.call('GET', listOfMember(agent))).body).toHaveLength(1);
    expect((await agent.call('GET', listOfMember(owner))).status).toBe(400);
    expect((await owner.call('PATCH', '/reports/settings', { showsMembers: false })).status).toBe(200);
    expect((await agent.call('GET', listOfMember(owner))).status).toBe(400);
    expect((await owner.call('GET', listOfMember(agent))).status).toBe(400);
    expect((await agent.call('GET', listOfMember(agent))).body).toHaveLength(1);
    const refused = await owner.call('GET', `/reports/groups?${members}`);
    expect(refused).toMatchObject({ status: 403, body: { key: 'report.members_not_shown' } });
  });

  test.each([
    [`${span(0, -1)}&interval=day`, 400],
    [`${span(-1, 0)}&interval=day&timeZone=Mars/Olympus`, 400],
    [`${span(-1, 0)}&interval=day&team=00000000-0000-7000-8000-000000000000`, 400],
    [`${span(-1, 0)}&interval=decade`, 400],
    [`${span(-1, 0)}&interval=day&timeZone=%2B01:00`, 400],
    [`${span(-34, 0)}&interval=hour`, 409],
    [`${span(-33, 0)}&interval=hour`, 200],
    [`${span(-730, 0)}&interval=day`, 200],
    ['from=0001-01-01T00:00:00Z&to=0002-01-01T00:00:00Z&interval=day', 400],
    [`${span(-1_000, 0)}&interval=day`, 409],
  ])('answers %s with %i', async (query, status) => {
    expect((await owner.call('GET', `/reports/overview?${query}`)).status).toBe(status);
  });

  test('writes the times of all files as the API does', async () => {
    const tickets = String((await owner.call('GET', `/reports/tickets.csv?${span(-3, 0)}`)).body).split('\r\n');
    const [names = [], first = []] = tickets.map((line) => line.split(','));
    const overview = String((await owner.call('GET', `/reports/overview.csv?${span(-3, 0)}&interval=day`)).body);
    const times = ['created_at', 'first_response_at', 'resolved_at'].map((name) => first[names.indexOf(name)]);
    for (const time of [...times, overview.split('\r\n')[1]?.split(',')[0]])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('a business clock counts the hours of the calendar, also for what was counted before', async () => {
    const always = Array.from({ length: 7 }, (_, index) => ({ day: index + 1, open: '00:00', close: '24:00' }));
    const calendar = await owner.call('POST', '/calendars', { name: 'Always', timeZone: 'UTC', hours: always });
    expect(calendar.status, JSON.stringify(calendar.body)).toBe(201);
    const before = await read(owner, 'overview', `${span(-3, 0)}&interval=day&clock=business`);
    expect(before.figures.firstResponse.median).toBeNull();
    await owner.call('PATCH', '/reports/settings', { calendarId: calendar.body.id });
    const after = await read(owner, 'overview', `${span(-3, 0)}&interval=day&clock=business`);
    expect(inHours(after.figures.firstResponse.median)).toBe(2);
    const seldom = always.map(({ day }) => ({ day, open: '12:00', close: '12:01' }));
    await owner.call('PATCH', `/calendars/${calendar.body.id}`, { hours: seldom });
    const then = await read(owner, 'overview', `${span(-3, 0)}&interval=day&clock=business`);
    expect(then.figures.firstResponse.median).toBeLessThanOrEqual(60);
    expect(then.isComplete).toBe(true);
  });
});
