import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { makeMember, makeOwner, type Person } from '../../test/worlds/factories.ts';
import type { Place } from './place.ts';

const teams = 50;
const own = 5;
const models = 40;
/** A statement for all would meet the time limit of statements. */
const atOnce = 1_000;

export const tickets = Number(process.env.TICKETS ?? 20_000);

export type Desk = { owner: Person; member: Person; bound: Person; hidden: { id: string; ticketNumber: number }[] };

/**
 * Makes a workspace whose tickets are spread over 50 teams. One ticket of each 40 has the word of the search. One
 * member is in no team, another one sees only the tickets of 5 teams. @returns them with tickets of the first team
 */
export async function makeDesk({ house }: Place, restrictedTeams: number): Promise<Desk> {
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
  const { rows } = await house.app.db.pool.query<Desk['hidden'][number]>(
    `select id, ticket_number as "ticketNumber" from tickets where workspace_id = $1 and team_id = $2 limit 100`,
    [workspaceId, teamIds[0]],
  );
  if (rows.length === 0) throw new Error('the first team has no ticket');
  return { owner, member, bound, hidden: rows };
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
