import { expect, test } from 'vitest';
import { oneLine } from './plan-faults.ts';
import { sourceStatements } from './source-statements.ts';
import { tablesChangedIn, tablesIn } from './statement-tenancy.ts';

/** Tables whose rows are tickets, or tell of a ticket. */
const guarded = new Set(
  (
    'tickets messages attachments activity drafts notifications raw_mails ' +
    'ticket_followers ticket_participants unread_tickets bulk_change_tickets gathered_facts'
  ).split(' '),
);

/** Reads without a scope: the beginning of their path, or the path and how the statement begins. */
const exceptions: Record<string, string> = {
  'src/access/teams/change-team.ts': 'whether any ticket is in a team; shows none',
  'src/access/workspaces/limit-recipients.ts': 'the limit of a workspace counts for all',
  'src/automation/rules/list-due.ts': 'whether a reader has news; shows none',
  'src/events/activity/fact-reader.ts': 'a reader gets every fact of its workspace',
  'src/events/activity/settle-restored.ts': 'a restored copy',
  'src/events/integrations/': 'webhooks get every event',
  'src/events/notifications/gather.ts: select m.user_id': 'notifications of those who may hear; shows none',
  'src/events/notifications/mail-digests.ts': 'finds who gets a digest; `findDigest` asks for the scope',
  'src/events/notifications/pass-on.ts: select n.id, n.type': 'notifications of a deleted ticket; shows none',
  'src/helpdesk/departures/': 'a leaver gives up all tickets',
  'src/helpdesk/erasures/': 'an erasure reaches everything about a person',
  'src/helpdesk/files/sweep.ts': 'the sweep',
  'src/helpdesk/merges/move-messages.ts': 'tickets that the merge has locked',
  'src/helpdesk/merges/standing-merges.ts': 'tickets that the merge has locked',
  'src/helpdesk/messages/blank-messages.ts': 'messages of a locked ticket',
  'src/helpdesk/messages/gather-words.ts': 'the index of words',
  'src/helpdesk/messages/keep-draft.ts: select count(*)': 'drafts of new tickets',
  'src/helpdesk/messages/mail-ids.ts': 'mail intake',
  'src/helpdesk/people/contact-tickets.ts: select t.id': 'a merge of contacts takes along all their tickets',
  'src/helpdesk/replies/queries.ts': 'files of saved replies, which have no ticket',
  'src/helpdesk/tickets/change.ts: select from tickets where workspace_id = $1 and id = any($2::uuid[]) order by id':
    'the tree of a ticket that was found under the scope',
  'src/helpdesk/tickets/delete-tickets.ts': 'tickets that the purge has locked',
  'src/helpdesk/tickets/rows.ts': 'the search words of a ticket that is written',
  'src/helpdesk/tickets/snooze.ts': 'the clock wakes tickets',
  'src/helpdesk/tickets/teams/team-of-ticket.ts': 'whether somebody follows a locked ticket',
  'src/helpdesk/tickets/summary.ts': 'summaries are for nobody in particular',
  'src/helpdesk/trash/purge.ts: ( select': 'the purge of old tickets',
  'src/inbox/bulk/matching.ts': 'its conditions are those of a list',
  'src/inbox/bulk/queries.ts: select c.id': 'counts of the lines of a change, without its tickets',
  'src/inbox/bulk/run-bulk-change.ts': 'lines of a change; `lockTickets` asks for the scope of their member',
  'src/inbox/lists/list.ts': '`conditionsOf` begins with the condition',
  'src/inbox/lists/search': '`conditionsOf` begins with the condition; a sample only tells how to search',
  'src/inbox/onboarding/': 'samples',
  'src/inbox/stream/read-facts.ts: select min(': 'positions, without contents',
  'src/inbox/stream/read-facts.ts: select 1': 'positions, without contents',
  'src/inbox/stream/read-facts.ts: select distinct': 'positions, without contents',
  'src/inbox/tags/queries.ts: select count(*)': '`ticketsWithTag` begins with the condition',
  'src/inbox/tags/queries.ts: select t.tags': '`ticketsWithTag` begins with the condition',
  'src/insight/reports/catch-up.ts: select': 'figures are kept of all tickets; reports ask for the scope',
  'src/insight/reports/satisfaction.ts': '`conditionsOf` begins with the condition',
  'src/insight/reports/tickets-csv.ts': '`conditionsOf` begins with the condition',
  'src/operations/': 'the operator, exports and imports',
  'src/transport/deliveries/': 'delivery; `lockDelivery` asks for the scope of who steers it',
  'src/transport/mailflow/': 'mail intake and mailboxes',
};

const planted = `
  import type { Scope } from './ground/catalog/scope.ts';
  import type { Queryable } from './ground/database/db.ts';
  import { sql } from './ground/database/sql.ts';
  import { visible } from './ground/database/visible.ts';
  export const reads = (db: Queryable, scope: Scope) => [
    db.rows(sql\`select id from tickets where workspace_id = \${scope.workspaceId}\`),
    db.rows(sql\`select t.id from tickets t where t.workspace_id = \${scope.workspaceId} and \${visible(scope, 't')}\`),
    db.rows(sql\`select t.id from tickets t where \${visible(scope, 'm')}\`),
  ];`;

const statements = sourceStatements(planted);

test('each statement that reads tickets, or what belongs to them, has the condition of a scope', () => {
  const unscoped = statements.filter(({ text }) => isRead(text) && !isScoped(text));
  const lines = unscoped.map(lineOf);
  const faults = lines.filter((line) => !isException(line));
  const isPlanted = (line: string) => line.startsWith('src/planted.ts');
  expect(faults.filter((line) => !isPlanted(line))).toEqual([]);
  expect(faults.filter(isPlanted)).toHaveLength(2);
  expect(paths.filter((path) => !lines.some((line) => line.startsWith(path)))).toEqual([]);
});

/**
 * How many conditions of each file the test above would not miss: below an exception, beside another condition, or in a
 * write. If one is gone here, and nothing took its place, hidden tickets show.
 */
const unwatched: Record<string, number> = {
  'src/automation/auto-replies/list-of-ticket.ts': 1,
  'src/automation/surveys/plan-survey.ts': 1,
  'src/events/activity/timeline.ts': 2,
  'src/events/notifications/digest.ts': 3,
  'src/events/notifications/gathered-count.ts': 4,
  'src/events/notifications/list-unread.ts': 2,
  'src/events/notifications/mark-read.ts': 1,
  'src/events/notifications/queries.ts': 2,
  'src/helpdesk/messages/drafts.ts': 3,
  'src/helpdesk/people/contact-tickets.ts': 1,
  'src/inbox/lists/count-lists.ts': 4,
  'src/inbox/lists/search.ts': 1,
  'src/insight/reports/catch-up.ts': 1,
  'src/transport/deliveries/list-scheduled.ts': 1,
  'src/transport/deliveries/scheduled.ts': 2,
  'src/transport/deliveries/steer-delivery.ts': 1,
  'src/transport/mailflow/quarantine/settle.ts': 1,
  'src/transport/mailflow/queries.ts': 3,
};

test('no condition is lost where another condition, or an exception, would cover its loss', () => {
  const found = new Map<string, Set<string>>();
  for (const { at, text } of statements) {
    if (at === 'src/planted.ts') continue;
    for (const [index, { 0: mark, index: place }] of [...text.matchAll(condition)].entries()) {
      const without = text.slice(0, place) + text.slice(place + mark.length);
      if (isRead(text) && !isScoped(without) && !isException(lineOf({ at, text: without }))) continue;
      found.set(at, (found.get(at) ?? new Set()).add(`${index} ${oneLine(text).slice(0, 80)}`));
    }
  }
  expect(Object.fromEntries([...found].map(([at, conditions]) => [at, conditions.size]))).toEqual(unwatched);
});

const paths = Object.keys(exceptions);
const condition = /\/\* (?:visible|ofVisible) (\w+)(?:\.\w+)? \*\//g;

function lineOf({ at, text }: { at: string; text: string }): string {
  return `${at}: ${oneLine(text)}`;
}

function isException(line: string): boolean {
  return paths.some((path) => line.startsWith(path));
}

/** Writes need none: they name rows that their transaction has read or locked. */
function isRead(text: string): boolean {
  const isInsert = /\binsert into\b/i.test(text);
  return !isInsert && tablesChangedIn(text).length === 0 && tablesIn(text).some((table) => guarded.has(table));
}

/** Whether the condition names a row of the statement. */
function isScoped(text: string): boolean {
  return [...text.matchAll(condition)].some(([, row]) =>
    [...guarded].some((table) => new RegExp(`\\b${table}(?: as)? ${row}\\b|\\bfrom ${row}\\b`).test(text)),
  );
}
