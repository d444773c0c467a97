import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { formOf, openSurveys, visitor } from '../../../test/worlds/automation/surveys.ts';
import { makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ RATE_LIMIT_PER_MINUTE: '0' });

test('the figures are those of the answers that count, and each opens its tickets', async () => {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ada');
  const desk = await openSurveys(house, owner);
  await desk.make({ scale: 'three' });
  const from = new Date(house.clock.now().getTime() - 60_000).toISOString();
  const rate = async (score: number, looksMs = 5_000) => {
    const asked = await desk.answer();
    const by = visitor(house);
    const page = await by.open(asked.scores[score - 1] ?? '');
    house.clock.advance(looksMs);
    await by.send(asked.scores[score - 1] ?? '', formOf(page));
    return asked.ticketId;
  };
  const good = await rate(3);
  const bad = await rate(2);
  const doubtful = await rate(3, 500);
  await desk.answer();
  const hidden = await rate(3);
  const team = await desk.done('POST', '/teams', { name: 'Secret', visibility: 'members', memberIds: [owner.userId] });
  await desk.done('PATCH', `/tickets/${hidden}`, { teamId: team.id });
  const to = new Date(house.clock.now().getTime() + 60_000).toISOString();
  const read = async (person: typeof owner, more = '') =>
    (await person.call('GET', `/reports/satisfaction?from=${from}&to=${to}&interval=day${more}`)).body;
  const seen = { asked: 4, answered: 2, good: 1, doubtful: 1 };
  const all = { asked: 5, answered: 3, good: 2, doubtful: 1 };
  const ofOwner = await read(owner, '&by=member');
  expect(ofOwner).toMatchObject({ figures: all, before: { asked: 0, answered: 0 } });
  expect(ofOwner.groups).toEqual([{ key: owner.userId, name: expect.any(String), ...all }]);
  expect(ofOwner.series.map(({ answered }: any) => answered).reduce((sum: number, one: number) => sum + one)).toBe(3);
  expect(await read(agent)).toMatchObject({ figures: seen, groups: [] });
  // An agent compares nobody.
  expect((await read(agent, '&by=member')).groups).toEqual([]);
  expect((await read(owner, '&by=team')).groups).toMatchObject([{ key: null, ...all }]);
  const list = async (happening: string) => {
    const { body } = await agent.call('GET', `/tickets?archived=any&happened=${happening}/${from}/${to}`);
    return body.map(({ id }: any) => id).sort();
  };
  expect(await list('rated')).toEqual([bad, good].sort());
  expect(await list('satisfied')).toEqual([good]);
  await desk.done('DELETE', `/tickets/${good}`);
  expect((await read(agent)).figures).toEqual({ ...seen, asked: 3, answered: 1, good: 0 });
  expect(doubtful).toBeDefined();
  // As docs/reports.md says it.
  const [counted] = await house.app.db.rows<{ count: number }>(sql`
    select count(*)::integer as count
    from survey_asks a join messages m using (workspace_id) join tickets t using (workspace_id)
    where workspace_id = ${owner.workspaceId} and m.id = a.message_id and t.id = m.ticket_id and doubt is null
      and answered_at >= ${from} and answered_at < ${to} and trashed_at is null and spam_at is null`);
  expect((await read(owner)).figures.answered).toBe(counted?.count);
});
