/**
 * Compares three members of large workspaces, in turn: one of a workspace whose 50 teams all show their tickets, one
 * outside 10 restricted teams of 50, and one who sees only the tickets of 5 teams. Then compares how soon a ticket that
 * is hidden answers with a ticket that does not exist. `node bench/prove/teams.ts` starts the service at a place of its
 * own.
 */
import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { call, makeMember, makeOwner, type Person } from '../../test/worlds/factories.ts';
import { type Place, proveAt } from './place.ts';

const teams = 50;
const restricted = 10;
const own = 5;
const tickets = Number(process.env.TICKETS ?? 20_000);
const models = 40;
/** A statement for all would meet the time limit of statements. */
const atOnce = 1_000;
const rounds = Number(process.env.ROUNDS ?? 150);
const warmUps = 15;

type Desk = { owner: Person; member: Person; bound: Person; hidden: { id: string; ticketNumber: number } };

/** Makes a workspace whose tickets are spread over its teams. One ticket of each 40 has the word of the search. */
async function makeDesk({ house }: Place, restrictedTeams: number): Promise<Desk> {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const [member, bound] = [
    await makeMember(house, workspaceId, 'agent'),
    await makeMember(house, workspaceId, 'agent'),
  ];
  const teamIds: string[] = [];
  for (let index = 0; index < teams; index++) {
    const visibility = index < restrictedTeams ? 'members' : 'workspace';
    const memberIds = index >= teams - own ? [bound.userId] : [];
    const { body } = await owner.call('POST', '/teams', { name: `Team ${index}`, visibility, memberIds });
    teamIds.push(body.id);
  }
  for (let index = 0; index < models; index++) {
    const text = index === 0 ? 'the pumpkin is late' : `an order of ${index} lamps`;
    await owner.call('POST', '/tickets', { subject: text, body: `${text}, and much else` });
  }
  await owner.call('PATCH', `/members/${bound.userId}`, { access: 'teams' });
  for (let from = 1; from <= tickets; from += atOnce) await multiply(house, workspaceId, { teamIds, from });
  const { rows } = await house.app.db.pool.query<Desk['hidden']>(
    `select id, ticket_number as "ticketNumber" from tickets where workspace_id = $1 and team_id = $2 limit 1`,
    [workspaceId, teamIds[0]],
  );
  const [hidden] = rows;
  if (hidden === undefined) throw new Error('the first team has no ticket');
  return { owner, member, bound, hidden };
}

async function multiply(
  { app }: Place['house'],
  workspaceId: WorkspaceId,
  { teamIds, from }: { teamIds: string[]; from: number },
): Promise<void> {
  await app.db.pool.query(
    `with made as materialized (
      select n, gen_random_uuid() as ticket, gen_random_uuid() as message,
        now() - make_interval(mins => n) as at
      from generate_series($2::integer, $2::integer + $5::integer - 1) n
    ), of_tickets as (
      insert into tickets
      select (jsonb_populate_record(t, jsonb_build_object('id', m.ticket, 'ticket_number', 1000 + m.n,
        'team_id', ($3::uuid[])[1 + (m.n / $4) % cardinality($3::uuid[])], 'last_message_id', m.message,
        'last_message_at', m.at, 'created_at', m.at,
        'status', case when m.n % 4 = 0 then 'open' else 'closed' end))).*
      from made m
      join tickets t on t.workspace_id = $1 and t.ticket_number = 1 + m.n % $4
    ), of_messages as (
      insert into messages
      select (jsonb_populate_record(x, jsonb_build_object('id', m.message, 'ticket_id', m.ticket,
        'created_at', m.at))).*
      from made m
      join tickets t on t.workspace_id = $1 and t.ticket_number = 1 + m.n % $4
      join messages x on x.workspace_id = $1 and x.ticket_id = t.id
    )
    insert into message_words
    select (jsonb_populate_record(w, jsonb_build_object('message_id', m.message, 'created_at', m.at))).*
    from made m
    join tickets t on t.workspace_id = $1 and t.ticket_number = 1 + m.n % $4
    join messages x on x.workspace_id = $1 and x.ticket_id = t.id
    join message_words w on w.workspace_id = $1 and w.message_id = x.id`,
    [workspaceId, from, teamIds, models, atOnce],
  );
  await app.db.pool.query('update ticket_counters set last_number = $2 where workspace_id = $1', [
    workspaceId,
    tickets + 2_000,
  ]);
}

const reads = {
  list: '/tickets?status=open',
  'deep list': '/tickets?status=open&sort=createdAt&order=asc',
  'list, not counted': '/tickets?status=open&count=false',
  search: '/tickets?search=pumpkin',
  counts: '/counts',
};

async function timeOf(place: Place, person: Person, method: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId };
  const url = `/v1/workspaces/${person.workspaceId}${path}`;
  const startedAt = performance.now();
  await call({ url: place.urls[0] ?? '' }, method, url, method === 'GET' ? undefined : {}, headers);
  return performance.now() - startedAt;
}

/** Asks in random order, so that the load of the machine counts for all. @returns the medians, in the given order */
async function inTurn(asks: readonly (() => Promise<number>)[]): Promise<{ medians: number[]; fastest: number[] }> {
  const times = asks.map((): number[] => []);
  for (let round = 0; round < rounds + warmUps; round++) {
    const order = [...asks.keys()].toSorted(() => Math.random() - 0.5);
    for (const index of order) {
      const time = (await asks[index]?.()) ?? 0;
      if (round >= warmUps) times[index]?.push(time);
    }
  }
  const sorted = times.map((of) => of.toSorted((a, b) => a - b));
  const at = (part: number) => sorted.map((of) => of[Math.floor(of.length * part)] ?? 0);
  return { medians: at(0.5), fastest: at(0.1) };
}

const shown = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`.padEnd(11);
const apart = (a: number, b: number) => `${((b / a - 1) * 100).toFixed(1)} %`.padStart(8);

await proveAt(1, async (place) => {
  const [open, walled] = [await makeDesk(place, 0), await makeDesk(place, restricted)];
  await place.house.app.db.pool.query('vacuum analyze');
  console.log(`${tickets} tickets in ${teams} teams; medians, and the tenth part that is fastest`);
  console.log('read                nothing hidden        outside 10 of 50               only 5 teams');
  for (const [name, path] of Object.entries(reads)) {
    const { medians, fastest } = await inTurn(
      [open.member, walled.member, walled.bound].map((person) => () => timeOf(place, person, 'GET', path)),
    );
    for (const [kind, [all = 0, outside = 0, bound = 0]] of Object.entries({ [name]: medians, fastest }))
      console.log(
        `${kind.padEnd(20)}${shown(all)}${shown(outside)}${apart(all, outside)}   ${shown(bound)}${apart(all, bound)}`,
      );
  }
  const { hidden, member } = walled;
  console.log('\nasked for             unknown    hidden     apart');
  const asked: [string, (id: string, number: number) => string][] = [
    ['GET', (id) => `/tickets/${id}`],
    ['GET', (_id, number) => `/tickets/number/${number}`],
    ['GET', (id) => `/tickets/${id}/messages`],
    ['GET', (id) => `/tickets/${id}/events`],
    ['PATCH', (id) => `/tickets/${id}`],
    ['POST', (id) => `/tickets/${id}/followers`],
  ];
  for (const [method, pathOf] of asked) {
    const { medians, fastest } = await inTurn([
      () => timeOf(place, member, method, pathOf(newId(), tickets + 1_500)),
      () => timeOf(place, member, method, pathOf(hidden.id, hidden.ticketNumber)),
    ]);
    const name = `${method} ${pathOf('…', 7)}`.padEnd(30);
    for (const [kind, [unknown = 0, secret = 0]] of Object.entries({ [name]: medians, fastest }))
      console.log(`${kind.padEnd(30)}${shown(unknown)}${shown(secret)}${apart(unknown, secret)}`);
  }
});
