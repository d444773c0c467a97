import { encodeCursor } from '../../src/ground/lib/cursor.ts';
import { type Drawn, type Operation, prepared } from '../operation.ts';
import { drawMember, drawWorkspace, largestWorkspace, listPlaceOf, tagWords, workspaceId } from '../world.ts';
import { ticketColumns } from './answered-columns.ts';

const url = '/v1/workspaces/:workspaceId/tickets';
const goal = { ratioMin: 0.6, spreadMax: 5 };

function statement(condition = 'true'): string {
  return `
  select ${ticketColumns}
  from (
    select *
    from tickets t
    where workspace_id = $1 and archived_at is null and merged_into_id is null and ${condition}
    order by last_message_at desc, id desc
    limit 100
  ) t
  left join contacts c on c.workspace_id = $1 and c.id = t.requester_id
  order by t.last_message_at desc, t.id desc`;
}

/**
 * The inbox as it opens: the hundred tickets with the newest activity. Only the service also answers the total and the
 * member's own state of each ticket.
 */
const listTickets: Operation = {
  name: 'list-tickets',
  method: 'GET',
  url,
  isWrite: false,
  goal,
  want: (_world, random) => {
    const workspace = drawWorkspace(random);
    return { params: { workspaceId: workspaceId(workspace) }, caller: drawMember(random, workspace) };
  },
  limit: (pool, { params }) => {
    const { workspaceId: inWorkspace } = params as { workspaceId: string };
    return prepared(pool, 'list-tickets', statement(), [inWorkspace]);
  },
};

type Query = Record<string, string>;

/**
 * A list with a condition, whose values the limit gets too. Every list asks the largest workspace, which at any size
 * has a hundred tickets of each kind.
 */
function listing(
  name: string,
  query: (...drawn: Parameters<Drawn['want']>) => Query,
  condition: string,
  valuesOf: (query: Query) => unknown[],
): Operation {
  const text = statement(condition);
  return {
    name,
    method: 'GET',
    url,
    isWrite: false,
    goal,
    want: (world, random) => ({
      params: { workspaceId: workspaceId(largestWorkspace) },
      query: query(world, random),
      caller: drawMember(random, largestWorkspace),
    }),
    limit: (pool, given) => {
      const { workspaceId: inWorkspace } = given.params as { workspaceId: string };
      return prepared(pool, name, text, [inWorkspace, ...valuesOf(given.query as Query)]);
    },
  };
}

export const listings: readonly Operation[] = [
  listTickets,
  listing(
    'list-by-status',
    (_world, random) => ({ status: random.pick(['open', 'pending', 'closed']) }),
    't.status = $2',
    ({ status }) => [status],
  ),
  listing(
    'list-by-assignee',
    (_world, random) => ({ assignee: drawMember(random, largestWorkspace).userId }),
    't.assignee_id = $2',
    ({ assignee }) => [assignee],
  ),
  listing(
    'list-by-tags',
    (_world, random) => ({ tags: random.pick(tagWords) }),
    `array_append(t.tag_keys, ' ' || t.workspace_id::text) @> array[' ' || $1::text, $2]`,
    ({ tags }) => [tags],
  ),
  listing(
    'list-deep-cursor',
    (world, random) => {
      const { ticketCount } = world;
      const { id, lastMessageMs } = listPlaceOf(world, Math.floor(ticketCount * (0.2 + random.fraction() * 0.6)));
      const values = [new Date(lastMessageMs).toISOString()];
      return { cursor: encodeCursor({ sort: 'lastMessageAt', order: 'desc', values, id }) };
    },
    '(t.last_message_at, t.id) < ($2, $3)',
    ({ cursor = '' }) => {
      const { values, id } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as {
        values: string[];
        id: string;
      };
      return [values[0], id];
    },
  ),
];
