import type { Random } from '../../emulators/random.ts';
import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { searchQuery } from '../../src/ground/lib/search-query.ts';
import { type Operation, planned } from '../operation.ts';
import { rareWord, word } from '../words.ts';
import {
  drawMember,
  drawReadTicket,
  largestWorkspace,
  messageOf,
  placeOf,
  referenceOf,
  ticketOf,
  type World,
  workspaceId,
} from '../world.ts';
import { ticketColumns } from './answered-columns.ts';

/**
 * Takes the newest thousand matches of messages and of tickets, and of these the best hundred tickets: subject over
 * people over text. The outer select ranks them. In the inner select, PostgreSQL would rank every match before the
 * limit.
 */
const statement = `
  with matches as (
    select m.ticket_id, ts_rank('{0.1, 0.2, 0.4, 1.0}', w.search, $2::tsquery) as score
    from (
      select message_id, search
      from message_words
      where workspace_id = $1 and search @@ $2::tsquery
      order by created_at desc
      limit 1000
    ) w
    join messages m on m.workspace_id = $1 and m.id = w.message_id
    union all
    select id, ts_rank('{0.1, 0.2, 0.4, 1.0}', search, $2::tsquery)
    from (
      select id, search
      from tickets
      where workspace_id = $1 and search @@ $2::tsquery
      order by last_message_at desc
      limit 1000
    ) t
  ),
  scored as (
    select ticket_id, max(score) as score from matches group by ticket_id
  )
  select ${ticketColumns}
  from scored s
  join tickets t on t.workspace_id = $1 and t.id = s.ticket_id and t.archived_at is null and t.merged_into_id is null
  left join contacts c on c.workspace_id = $1 and c.id = t.requester_id
  order by s.score desc, t.id desc
  limit 100`;

function search(kind: string, typed: (world: World, random: Random) => string): Operation {
  return {
    name: `search-${kind}`,
    method: 'GET',
    url: '/v1/workspaces/:workspaceId/tickets',
    isWrite: false,
    goal: { ratioMin: 0.5, aloneP99MsMax: 50 },
    want: (world, random) => ({
      params: { workspaceId: workspaceId(largestWorkspace) },
      query: { search: typed(world, random) },
      caller: drawMember(random, largestWorkspace),
    }),
    limit: async (pool, { params, query }) => {
      const { workspaceId: inWorkspace } = params as { workspaceId: WorkspaceId };
      const words = searchQuery(inWorkspace, (query as { search: string }).search);
      return planned(pool, statement, [inWorkspace, words?.wanted]);
    },
  };
}

/** Such a word is in every sixth to fiftieth message. */
const middling = (random: Random): string => word(50 + random.below(450));
const wordsOfPhrase = 3;

export const searches: readonly Operation[] = [
  search('rare-word', (world, random) => referenceOf(world, drawSearched(world, random))),
  // At least a third of all messages contain such a word.
  search('common-word', (_world, random) => word(random.below(20))),
  search('two-words', (_world, random) => `${middling(random)} ${middling(random)}`),
  search('phrase', (world, random) => `"${phraseOf(world, random)}"`),
  search('no-hit', (_world, random) => rareWord(100_000_000 + random.below(1_000_000))),
];

/** A ticket of the searched workspace. */
function drawSearched(world: World, random: Random): number {
  let ticket = drawReadTicket(random, world);
  while (placeOf(world, ticket).workspace !== largestWorkspace) ticket = drawReadTicket(random, world);
  return ticket;
}

/** Some consecutive words of a message. */
function phraseOf(world: World, random: Random): string {
  const ticket = drawSearched(world, random);
  const { body } = messageOf(ticketOf(world, ticket), ticket, 1);
  const words = body.split(/\W+/);
  const from = random.below(words.length - wordsOfPhrase);
  return words.slice(from, from + wordsOfPhrase).join(' ');
}
