import { expect, test } from 'vitest';
import { unboundTables } from './statement-tenancy.ts';

const tables = new Set(['tickets', 'messages', 'contacts']);

test.each<[string, string]>([
  ['its own condition', 'select t.id from tickets t where t.workspace_id = $1 and t.id = $2'],
  ['a condition without an alias', 'select id from tickets where id = $2 and $1 = workspace_id'],
  [
    'one for each table that is joined',
    'select 1 from tickets t left join messages m on (m.workspace_id = $1 and m.ticket_id = t.id) ' +
      'where t.workspace_id = $2',
  ],
  [
    'one in each subquery',
    'select (select count(*) from messages m where m.workspace_id = $1) from tickets t, users u ' +
      'where t.workspace_id = $2',
  ],
  [
    'one on each side of a union',
    '(select id from tickets where workspace_id = $1) ' +
      'union all select m.id from messages as m where m.workspace_id = $2',
  ],
  [
    'a parameter in what is inserted',
    'insert into tickets (id, workspace_id) values ($1, $2), ($3, $4) on conflict do nothing',
  ],
  [
    'one in what is selected to be inserted',
    'with n as (select 1) insert into tickets as x (workspace_id, id) ' +
      'select distinct $1::uuid, coalesce($2, u.id) from users u',
  ],
  [
    'the column of a table that has one',
    'insert into tickets (workspace_id) select m.workspace_id from messages m where m.workspace_id = $1',
  ],
  [
    'one for what is updated',
    'update tickets t set status = $1 from contacts c where t.workspace_id = $2 and c.workspace_id = $2',
  ],
  ['one for what is deleted', `delete from messages where workspace_id = $1 and body = 'from tickets'`],
  ['none, where the table is a string or a comment', `select 'from tickets' -- from tickets`],
  ['none, where it is a lock', 'select 1 from messages m where m.workspace_id = $1 for update of m'],
])('%s is enough', (_what, text) => {
  expect(unboundTables(text, tables)).toEqual([]);
});

test.each<[string, string, string[]]>([
  ['none', 'select id from tickets where id = $1', ['tickets']],
  [
    'a join alone',
    'select 1 from tickets t join messages m on m.workspace_id = t.workspace_id where t.workspace_id = $1',
    ['messages'],
  ],
  [
    'a join by using',
    'select 1 from tickets t join messages m using (workspace_id) where t.workspace_id = $1',
    ['messages'],
  ],
  [
    'the outer row',
    'select 1 from tickets t where t.workspace_id = $1 ' +
      'and exists (select from messages m where m.workspace_id = t.workspace_id)',
    ['messages'],
  ],
  [
    'the condition of the query around',
    'select (select count(*) from messages m) from tickets t where t.workspace_id = $1',
    ['messages'],
  ],
  ['one side of a union', 'select id from tickets where workspace_id = $1 union select id from messages', ['messages']],
  [
    'one without an alias among several tables',
    'select 1 from tickets t, messages m where workspace_id = $1',
    ['tickets', 'messages'],
  ],
  ['a list', 'select 1 from tickets t where t.workspace_id = any($1)', ['tickets']],
  ['another column', 'insert into tickets (id, workspace_id) values ($1, gen_random_uuid())', ['tickets']],
  ['no workspace at all in what is inserted', 'insert into tickets (id) select $1', ['tickets']],
  ['one of the rows that are inserted', 'insert into tickets (workspace_id) values ($1), (default)', ['tickets']],
  ['a table behind a comma', 'select 1 from users u, tickets t where u.workspace_id = $1', ['tickets']],
])('%s is not enough', (_what, text, missing) => {
  expect(unboundTables(text, tables)).toEqual(missing);
});
