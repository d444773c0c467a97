import type pg from 'pg';
import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { inBatches } from '../batches.ts';
import { type Operation, prepared, userIdHeader } from '../operation.ts';
import { drawText, messageVectorOf, ticketVectorOf } from '../sent-text.ts';
import { drawMember, drawWorkspace, workspaceId } from '../world.ts';

/**
 * Takes the numbers of a batch, in a transaction of its own that does not wait for the disk, as the service takes each
 * number. Counters are locked in the order of their workspaces, so that two batches never wait for each other.
 */
const takeNumbers = `
  with asked as (select id, count(*) as count from unnest($1::uuid[]) id group by id),
  locked as (
    select c.workspace_id, a.count
    from ticket_counters c
    join asked a on a.id = c.workspace_id
    order by c.workspace_id
    for no key update of c
  )
  update ticket_counters c set last_number = c.last_number + l.count
  from locked l, set_config('synchronous_commit', 'off', true)
  where c.workspace_id = l.workspace_id
  returning c.workspace_id, c.last_number`;

/** Writes the rows that the service writes: tickets, messages, their words, and the events. */
const statement = `
  with given as materialized (
    select workspace_id, id, message_id, event_id, user_id, number, subject, ticket_words::tsvector, body,
      message_words::tsvector, ordinality
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::integer[], $7::text[], $8::text[],
        $9::text[], $10::text[]) with ordinality
      g (workspace_id, id, message_id, event_id, user_id, number, subject, ticket_words, body, message_words)
  ),
  ticket as (
    insert into tickets (
      workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, message_count,
      last_message_at, created_at, updated_at, version, summary_version, last_message_id, last_message_direction,
      last_message_snippet, search)
    select workspace_id, id, number, subject, 'open', 'normal', 2, 'api', 1, now(), now(), now(), 1, 1, message_id,
      'outbound', left(body, 160), ticket_words
    from given
    returning *
  ),
  message as (
    insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, body, created_at)
    select workspace_id, message_id, id, 'outbound', 'agent', user_id, body, now()
    from given
  ),
  words as (
    insert into unindexed_words (workspace_id, message_id, created_at, search)
    select workspace_id, message_id, now(), message_words
    from given
  ),
  event as (
    insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at)
    select workspace_id, event_id, id, 'ticket.created', 'agent', user_id, '{"channel":"api"}', now()
    from given
  )
  select t.id, t.ticket_number, t.subject, t.status, t.priority, t.assignee_id, t.tags, t.requester_id, t.channel,
    t.mailbox_id, t.archived_at, t.snoozed_until, t.merged_into_id, t.message_count, t.last_message_at, t.created_at,
    t.updated_at, t.version
  from given g
  join ticket t on t.id = g.id
  order by g.ordinality`;

type Wanted = { inWorkspace: WorkspaceId; userId: string | undefined; subject: string; body: string };

async function createAll(pool: pg.Pool, tickets: readonly Wanted[]): Promise<object[]> {
  const workspaceIds = tickets.map(({ inWorkspace }) => inWorkspace);
  const counters = await prepared<{ workspace_id: string; last_number: number }>(pool, 'take-numbers', takeNumbers, [
    workspaceIds,
  ]);
  const next = new Map(counters.map((counter) => [counter.workspace_id, counter.last_number]));
  const numbers = workspaceIds.map((inWorkspace) => {
    const number = next.get(inWorkspace) ?? Number.NaN;
    next.set(inWorkspace, number - 1);
    return number;
  });
  const newIds = (): string[] => tickets.map(() => newId());
  return prepared(pool, 'create-tickets', statement, [
    workspaceIds,
    newIds(),
    newIds(),
    newIds(),
    tickets.map(({ userId }) => userId),
    numbers,
    tickets.map(({ subject }) => subject),
    tickets.map(({ inWorkspace, subject }) => ticketVectorOf(inWorkspace, subject)),
    tickets.map(({ body }) => body),
    tickets.map(({ inWorkspace, body }) => messageVectorOf(inWorkspace, body)),
  ]);
}

const createOf = new WeakMap<pg.Pool, (ticket: Wanted) => Promise<object>>();

/** Tickets that are asked at the same time are created together: nothing that PostgreSQL makes durable is faster. */
function createIn(pool: pg.Pool): (ticket: Wanted) => Promise<object> {
  let create = createOf.get(pool);
  if (create === undefined) {
    create = inBatches((tickets) => createAll(pool, tickets));
    createOf.set(pool, create);
  }
  return create;
}

export const createTicket: Operation = {
  name: 'create-ticket',
  method: 'POST',
  url: '/v1/workspaces/:workspaceId/tickets',
  isWrite: true,
  goal: { ratioMin: 0.6, spreadMax: 10 },
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return {
      params: { workspaceId: workspaceId(workspace) },
      body: drawText(random),
      caller: drawMember(random, workspace),
    };
  },
  limit: (pool, { params, body, headers }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: WorkspaceId };
    return createIn(pool)({
      inWorkspace,
      userId: headers[userIdHeader],
      ...(body as Pick<Wanted, 'subject' | 'body'>),
    });
  },
};
