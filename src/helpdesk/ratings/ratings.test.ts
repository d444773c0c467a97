import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { formOf, openSurveys, visitor } from '../../../test/worlds/automation/surveys.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ RATE_LIMIT_PER_MINUTE: '0' });
let owner: Person;
let desk: Awaited<ReturnType<typeof openSurveys>>;

beforeEach(async () => {
  owner = await makeOwner(house);
  desk = await openSurveys(house, owner);
});

const first = (urls: readonly string[], score = 1) => urls[score - 1] ?? '';
/** Opens a link, looks at the page, and presses its button. */
async function press(url: string, { by = visitor(house), comment = '', looksMs = 5_000 } = {}) {
  const page = await by.open(url);
  house.clock.advance(looksMs);
  return { by, page, answer: await by.send(url, { ...formOf(page), comment }) };
}

test('no answer asks anything, unless a survey is switched on', async () => {
  const survey = await desk.make({ isActive: false });
  expect((await desk.answer()).scores).toEqual([]);
  await desk.done('PATCH', `/surveys/${survey.id}`, { isActive: true });
  const { scores, trap, mail } = await desk.answer();
  expect(scores).toHaveLength(5);
  expect(trap).toBeDefined();
  expect(mail).toContain('How satisfied are you with our help?');
  expect(mail).toContain('text/html');
});

test('a customer answers on a page, changes their mind, and is read on the ticket', async () => {
  await desk.make();
  const { scores, ticketId } = await desk.answer();
  const { by, page, answer } = await press(first(scores, 4), { comment: '  Quick & <b>kind</b>\u0000 ' });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';style-src 'sha256-/);
  expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.text).not.toMatch(/<script|src=|href=/);
  expect(answer.text).toContain('Thank you!');
  const [given] = await desk.answers(`?ticketId=${ticketId}`);
  expect(given).toMatchObject({ ticketId, score: 4, scale: 'five', isGood: true, comment: 'Quick & <b>kind</b>' });
  expect(given).toMatchObject({ userId: owner.userId, doubt: null });
  const own = await by.open(first(scores, 2));
  expect(own.text).toContain('Quick &amp; &lt;b&gt;kind&lt;/b&gt;');
  await desk.age(1);
  await press(first(scores, 2), { by, comment: '' });
  expect(await desk.answers()).toMatchObject([{ score: 2, isGood: false, comment: null }]);
  await desk.age(8);
  expect((await press(first(scores, 5), { by })).answer.text).toContain('This question is answered');
  expect(await desk.answers()).toMatchObject([{ score: 2 }]);
  const { body: events } = await owner.call('GET', `/tickets/${ticketId}/events`);
  const told = (events.items ?? events).filter(({ type }: any) => type === 'survey.answered');
  expect(told.map(({ data, actor }: any) => [data.score, actor.type])).toEqual([
    [4, 'customer'],
    [2, 'customer'],
  ]);
});

test('answers name their member to those who see the figures of that member', async () => {
  await desk.make();
  const { scores } = await desk.answer();
  await press(first(scores));
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const listed = async (by: Person, query = '') => (await by.call('GET', `/survey-answers${query}`)).body.items;
  const ofOwner = `?member=${owner.userId}`;
  expect(await listed(agent)).toMatchObject([{ score: 1, userId: null }]);
  expect(await listed(agent, ofOwner)).toEqual([]);
  expect(await listed(owner, ofOwner)).toMatchObject([{ userId: owner.userId }]);
});

test('to look at a page keeps nothing, and asks no one who looks ahead', async () => {
  await desk.make();
  const { scores } = await desk.answer();
  for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }])
    expect((await visitor(house, { headers }).open(first(scores))).status).toBe(204);
  const { pathname, search } = new URL(first(scores));
  expect((await fetch(`${house.url}${pathname}${search}`, { method: 'HEAD' })).status).toBe(204);
  for (const url of scores) expect((await visitor(house).open(url)).status).toBe(200);
  expect(await desk.rows()).toEqual([{ score: null, doubt: null }]);
});

test('a program that opens all links and sends all forms is recognised, and the person after it counts', async () => {
  await desk.make();
  const { scores, trap = '' } = await desk.answer();
  await visitor(house).open(trap);
  for (const url of scores) {
    const [by, replay] = [visitor(house), visitor(house, { keepsCookies: false })];
    const form = formOf(await by.open(url));
    await replay.send(url, form);
    const confirm = await by.send(url, form);
    await by.send(url, formOf(confirm));
  }
  expect(await desk.answers()).toEqual([]);
  expect(await desk.answers('?doubt=true')).toHaveLength(1);
  house.clock.advance(120_000);
  const { by, answer } = await press(first(scores, 5), { comment: 'Really me' });
  expect(answer.text).toContain('Did you answer yourself?');
  expect(await desk.answers()).toEqual([]);
  house.clock.advance(3_000);
  expect((await by.send(first(scores, 5), formOf(answer))).text).toContain('Thank you!');
  expect(await desk.answers()).toMatchObject([{ score: 5, comment: 'Really me', doubt: null }]);
});

test('a form holds for its page and its visitor alone', async () => {
  await desk.make();
  const [one, other] = [await desk.answer(), await desk.answer()];
  const by = visitor(house);
  const form = formOf(await by.open(first(one.scores)));
  house.clock.advance(5_000);
  const stolen = visitor(house);
  await stolen.open(first(one.scores));
  for (const answer of [
    await by.send(first(other.scores), form),
    await stolen.send(first(one.scores), form),
    await visitor(house).send(first(one.scores), form),
    await by.send(first(one.scores), { ...form, form: form.form?.replace('answer', 'confirm') ?? '' }),
    await by.send(first(one.scores), { ...form, form: `answer.1.${'x'.repeat(22)}` }),
    await by.send(first(one.scores), {}),
    await by.send(first(one.scores), { ...form, score: '9' }),
    await by.send(first(one.scores), { ...form, score: '1.5' }),
  ])
    expect(answer.text).toContain('Please press the button once more.');
  expect(await desk.rows()).toEqual([
    { score: null, doubt: null },
    { score: null, doubt: null },
  ]);
});

test('an address that is not ours, is over, or whose ticket is gone, leads to the same page', async () => {
  await desk.make();
  const { scores, ticketId, trap = '' } = await desk.answer();
  const url = first(scores).replace(/\?.*/, '');
  const token = url.slice(url.lastIndexOf('/') + 1);
  const forged = `${token.slice(0, 45)}${token.slice(45) === 'A'.repeat(19) ? 'B' : 'A'.repeat(19)}`;
  const gone = async (address: string) => {
    const { status, text } = await visitor(house).open(address);
    return { status, text };
  };
  const page = await gone(url.replace(token, 'x'));
  expect(page).toMatchObject({ status: 404, text: expect.stringContaining('not there any more') });
  expect(await gone(url.replace(token, forged))).toEqual(page);
  expect(await gone(`${url}A`)).toEqual(page);
  expect(await gone(trap)).toEqual(page);
  expect((await gone(url)).status).toBe(200);
  await desk.done('DELETE', `/tickets/${ticketId}`);
  expect(await gone(url)).toEqual(page);
  await desk.done('POST', `/tickets/${ticketId}/restore`);
  expect((await gone(url)).status).toBe(200);
  await desk.age(31);
  expect(await gone(url)).toEqual(page);
});

test('two answers at once leave one', async () => {
  await desk.make();
  const { scores, ticketId } = await desk.answer();
  const people = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const by = visitor(house);
      return { by, form: formOf(await by.open(first(scores, 3))) };
    }),
  );
  house.clock.advance(5_000);
  await Promise.all(people.map(({ by, form }) => by.send(first(scores, 3), form)));
  expect(await desk.answers()).toHaveLength(1);
  const { body: events } = await owner.call('GET', `/tickets/${ticketId}/events`);
  expect((events.items ?? events).filter(({ type }: any) => type === 'survey.answered')).toHaveLength(1);
});

test('follows its message into the ticket that takes it, and is hidden with that', async () => {
  await desk.make();
  const hidden = await makeMember(house, owner.workspaceId, 'agent', 'Outside');
  const { scores, ticketId } = await desk.answer();
  await press(first(scores, 5));
  const target = await desk.done('POST', '/tickets', { subject: 'Target', body: 'b' });
  await desk.done('POST', `/tickets/${ticketId}/merge`, { targetTicketId: target.id });
  expect(await desk.answers()).toMatchObject([{ ticketId: target.id, score: 5 }]);
  const seen = async () => (await hidden.call('GET', '/survey-answers')).body.items;
  expect(await seen()).toHaveLength(1);
  const team = await desk.done('POST', '/teams', { name: 'Secret', visibility: 'members' });
  await desk.done('PATCH', `/tickets/${target.id}`, { teamId: team.id });
  expect(await seen()).toEqual([]);
  expect(await desk.answers(`?ticketId=${ticketId}`)).toEqual([]);
});

test('asks the requester alone, and not again within the days', async () => {
  await desk.make({ everyDays: 7 });
  const { scores, ticketId } = await desk.answer({ email: 'ann@example.org' });
  expect(scores).toHaveLength(5);
  expect((await desk.answer({ ticketId })).scores).toEqual([]);
  expect((await desk.answer({ email: 'ann@example.org' })).scores).toEqual([]);
  expect((await desk.answer({ body: { ccAddresses: ['boss@example.org'] } })).scores).toEqual([]);
  expect((await desk.answer({ body: { isInternal: true, sendEmail: false } })).scores).toEqual([]);
  await desk.age(8);
  expect((await desk.answer({ ticketId })).scores).toHaveLength(5);
});

test('the survey of a language, a scale and words of its own', async () => {
  await desk.make({ language: 'de', scale: 'two', question: 'Alles <gut>?' });
  const { scores, mail } = await desk.answer();
  expect(scores).toHaveLength(2);
  expect(mail).toContain('Zufrieden');
  const { text } = await visitor(house).open(first(scores, 2));
  expect(text).toContain('<html lang="de">');
  expect(text).toContain('<h1>Alles &lt;gut&gt;?</h1>');
  expect(text).toMatch(/value="2" required checked> Zufrieden/);
});

test('whoever gets a mail quoted cannot answer for the customer', async () => {
  await desk.make();
  const { scores, ticketId } = await desk.answer();
  const quoted = await desk.answer({ ticketId, body: { body: `See ${first(scores)} please` } });
  const plain = quoted.mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
  expect(plain).not.toContain(first(scores));
});

test('a body beyond its limit is refused', async () => {
  await desk.make();
  const { scores } = await desk.answer();
  const by = visitor(house);
  const form = formOf(await by.open(first(scores)));
  expect((await by.send(first(scores), { ...form, comment: 'x'.repeat(100_000) })).status).toBe(413);
  house.clock.advance(5_000);
  await by.send(first(scores), { ...form, comment: '€'.repeat(2_500) });
  const [{ comment }] = await desk.answers();
  expect([...comment]).toHaveLength(2_000);
});

test('an erasure takes the words, and leaves the score', async () => {
  await desk.make();
  const { scores } = await desk.answer({ email: 'zora@example.org' });
  await press(first(scores, 4), { comment: 'I am Zora' });
  const { erasePerson } = await import('../erasures/erase-person.ts');
  const { givePassword } = await import('../../../test/worlds/factories.ts');
  const password = 'correct horse battery';
  await givePassword(house, owner, password);
  const [{ contactId }] = await desk.answers();
  const { id } = await desk.done('POST', `/contacts/${contactId}/erasure`, { email: 'zora@example.org', password });
  const { db, config } = house.app;
  await erasePerson({ db, authSecret: config.authSecret }, { workspaceId: owner.workspaceId, id });
  const left = await db.rows(sql`
    select score, comment, visitor from survey_asks where workspace_id = ${owner.workspaceId}`);
  for (const row of left) expect(row).toEqual({ score: 4, comment: null, visitor: null });
  expect((await visitor(house).open(first(scores))).status).toBe(404);
});
