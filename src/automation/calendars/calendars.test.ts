import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answer, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';

const house = useHouse();
let owner: Person;
let admin: Person;
let agent: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  admin = await makeMember(house, owner.workspaceId, 'admin');
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

const keyOf = ({ status, body }: Answer) => [status, body.key];
const issuesOf = ({ status, body }: Answer) => [status, body.params?.issues?.map(({ path, key }: any) => [path, key])];
const workdays = [1, 2, 3, 4, 5].map((day) => ({ day, open: '09:00', close: '17:00' }));
const office = { name: 'Office', timeZone: 'Europe/Berlin', hours: workdays };
const make = async (more: object = {}): Promise<any> => {
  const { status, body } = await admin.call('POST', '/calendars', { ...office, ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};

test('admins keep calendars, everybody reads them, and the audit log tells', async () => {
  const christmas = { date: '2026-12-25', name: 'Christmas', hours: null };
  const eve = { date: '2026-12-24', name: 'Eve', hours: [{ open: '09:00', close: '12:00' }] };
  const made = await make({ timeZone: 'europe/berlin', hours: [...workdays].reverse(), days: [christmas, eve] });
  expect(made).toMatchObject({ ...office, days: [eve, christmas], version: 1 });
  const path = `/calendars/${made.id}`;
  const { body: changed } = await admin.call('PATCH', path, { name: 'Bureau', days: [christmas] });
  expect(changed).toMatchObject({ name: 'Bureau', hours: workdays, days: [christmas], version: 2 });
  expect((await admin.call('PATCH', path, { name: 'Bureau' })).body).toMatchObject({ version: 2 });
  const { body: listed } = await agent.call('GET', '/calendars');
  expect(listed).toEqual([changed]);
  expect((await agent.call('GET', path)).body).toEqual(changed);
  expect(await admin.call('DELETE', path)).toMatchObject({ status: 204 });
  expect(keyOf(await agent.call('GET', path))).toEqual([404, 'calendar.not_found']);
  const { body: log } = await owner.call('GET', '/audit');
  expect(log.items.map(({ type, data, subject }: any) => [type, data, subject.name]).reverse()).toEqual([
    ['calendar.created', { name: 'Office' }, 'Office'],
    ['calendar.changed', { name: 'Bureau', changed: ['name', 'days'] }, 'Bureau'],
    ['calendar.deleted', { name: 'Bureau' }, 'Bureau'],
  ]);
});

test('agents and keys change no calendar, and strangers read none', async () => {
  const { id } = await make();
  const stranger = await makeOwner(house);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'k', role: 'admin' });
  const byKey = { authorization: `Bearer ${key.secret}` };
  expect(keyOf(await agent.call('PATCH', `/calendars/${id}`, {}))).toEqual([403, 'auth.role_insufficient']);
  expect(keyOf(await owner.call('DELETE', `/calendars/${id}`, undefined, byKey))).toEqual([
    403,
    'auth.session_required',
  ]);
  expect((await owner.call('GET', `/calendars/${id}`, undefined, byKey)).status).toBe(200);
  for (const path of [`/calendars/${id}`, `/calendars/${id}/add?from=2026-01-01T00:00:00Z&seconds=1`])
    expect(keyOf(await stranger.call('GET', path))).toEqual([404, 'calendar.not_found']);
});

test('a change that names an old version is refused, and names are taken in any case', async () => {
  const { id } = await make();
  await make({ name: 'Night' });
  const named = { 'if-match': '"1"' };
  expect((await admin.call('PATCH', `/calendars/${id}`, { name: 'Bureau' }, named)).body.version).toBe(2);
  expect(keyOf(await owner.call('PATCH', `/calendars/${id}`, { name: 'B' }, named))).toEqual([
    412,
    'calendar.version_mismatch',
  ]);
  expect(keyOf(await admin.call('POST', '/calendars', { ...office, name: ' nIGHT ' }))).toEqual([
    409,
    'calendar.name_taken',
  ]);
  expect(keyOf(await admin.call('PATCH', `/calendars/${id}`, { name: 'NIGHT' }))).toEqual([409, 'calendar.name_taken']);
});

const nextYear = () => new Date(house.clock.now().getTime() + 300 * 86_400_000).toISOString().slice(0, 10);
const day = (date: string, hours: object[] | null = null) => ({ date, name: '', hours });

test.each<[string, object, string, string]>([
  ['a zone that does not exist', { timeZone: 'Mars/Olympus' }, 'body.timeZone', 'not_a_time_zone'],
  ['an offset', { timeZone: '+02:00' }, 'body.timeZone', 'wrong_form'],
  ['a time with a zone', { timeZone: 'T00[Europe/Berlin]' }, 'body.timeZone', 'not_a_time_zone'],
  ['a span that ends before it begins', span('17:00', '09:00'), 'body.hours.0.close', 'not_after_open'],
  ['a span without length', span('09:00', '09:00'), 'body.hours.0.close', 'not_after_open'],
  ['an hour that no clock has', span('09:00', '24:01'), 'body.hours.0.close', 'wrong_form'],
  ['an opening at the end of the day', span('24:00', '24:00'), 'body.hours.0.open', 'wrong_form'],
  [
    'spans that overlap',
    { hours: [...workdays, { day: 2, open: '08:00', close: '09:01' }] },
    'body.hours.1',
    'spans_overlap',
  ],
  ['a day that no week has', { hours: [{ day: 8, open: '09:00', close: '10:00' }] }, 'body.hours.0.day', 'too_large'],
  ['no hours at all', { hours: [] }, 'body.hours', 'never_open'],
  [
    'hours that are over',
    { hours: [], days: [day('2020-01-01', [{ open: '09:00', close: '10:00' }])] },
    'body.hours',
    'never_open',
  ],
  ['a date twice', { days: [day('2027-01-01'), day('2027-01-01')] }, 'body.days.1.date', 'same_date'],
  ['a date that does not exist', { days: [day('2027-02-29')] }, 'body.days.0.date', 'wrong_format'],
  ['a date before all calendars', { days: [day('0000-01-01')] }, 'body.days.0.date', 'wrong_form'],
  [
    'spans of a special day that overlap',
    {
      days: [
        day('2027-01-01', [
          { open: '09:00', close: '12:00' },
          { open: '11:59', close: '13:00' },
        ]),
      ],
    },
    'body.days.0.hours.1',
    'spans_overlap',
  ],
])('%s is refused', async (_name, fields, path, key) => {
  const answer = await admin.call('POST', '/calendars', { ...office, ...fields });
  expect(answer).toMatchObject({ status: 400, body: { params: { issues: [{ path, key }] } } });
});

function span(open: string, close: string) {
  return { hours: [{ day: 1, open, close }] };
}

test('a calendar whose last special day is over can still get a name', async () => {
  const { id } = await make({ hours: [], days: [day(nextYear(), [{ open: '09:00', close: '10:00' }])] });
  await house.app.db.pool.query(`update calendar_days set date = '2020-01-01' where calendar_id = $1`, [id]);
  const path = `/calendars/${id}`;
  expect((await admin.call('PATCH', path, { name: 'Fair' })).body).toMatchObject({ isOpen: false, changesAt: null });
  expect(issuesOf(await admin.call('PATCH', path, { timeZone: 'UTC' }))).toEqual([400, [['body.hours', 'never_open']]]);
});

test('open time is counted and added over the wire', async () => {
  const { id } = await make({ days: [{ date: '2026-12-25', name: 'Christmas', hours: null }] });
  const ask = (what: string) => agent.call('GET', `/calendars/${id}/${what}`);
  const from = '2026-12-24T15:00:00Z';
  expect((await ask(`add?from=${from}&seconds=7200`)).body).toEqual({ at: '2026-12-28T09:00:00.000Z' });
  expect((await ask(`between?from=${from}&to=2026-12-28T09:00:00.5Z`)).body).toEqual({ seconds: 7200.5 });
  expect(issuesOf(await ask(`between?from=${from}&to=2026-12-24T14:59:59Z`))).toEqual([
    400,
    [['query.to', 'before_from']],
  ]);
  expect(issuesOf(await ask(`between?from=${from}&to=2099-01-01T00:00:00Z`))).toEqual([
    400,
    [['query.to', 'too_long_after']],
  ]);
  expect((await ask(`add?from=${from}&seconds=31622400`)).body.at).toMatch(/^2031/);
  const { id: rare } = await make({ name: 'Rare', hours: [{ day: 1, open: '09:00', close: '09:01' }] });
  expect((await agent.call('GET', `/calendars/${rare}/add?from=${from}&seconds=31622400`)).body).toEqual({ at: null });
  for (const wrong of ['from=0001-01-01T00:00:00Z', 'from=9999-12-31T23:59:59Z', 'from=2026-02-30T00:00:00Z'])
    expect((await ask(`add?${wrong}&seconds=1`)).status).toBe(400);
});

test('public holidays are proposed by country and region, in both languages', async () => {
  const ask = (query: string) => agent.call('GET', `/calendars/holidays?${query}`);
  const inBavaria = (await ask('country=DE&region=BY&year=2027&language=de')).body;
  expect(inBavaria).toContainEqual({ date: '2027-01-06', name: 'Heilige Drei Könige' });
  expect((await ask('country=DE&year=2027')).body).not.toContainEqual(expect.objectContaining({ date: '2027-01-06' }));
  const inKorea = (await ask('country=KR&year=2027')).body.map(({ date }: { date: string }) => date);
  expect(inKorea).toEqual(expect.arrayContaining(['2027-02-07', '2027-02-08', '2027-02-09']));
  const { body: countries } = await agent.call('GET', '/calendars/holiday-countries?language=de');
  expect(countries.length).toBeGreaterThan(150);
  expect(countries.find(({ country }: any) => country === 'DE')).toMatchObject({
    name: 'Deutschland',
    regions: expect.arrayContaining([
      { region: 'BY', name: 'Bayern' },
      { region: 'BY-A', name: 'Bayern, Stadt Augsburg' },
    ]),
  });
  expect(issuesOf(await ask('country=XX&year=2027'))).toEqual([400, [['query.country', 'not_a_country']]]);
  expect(issuesOf(await ask('country=DE&region=__proto__&year=2027'))).toEqual([
    400,
    [['query.region', 'not_a_region']],
  ]);
});
