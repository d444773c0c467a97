import { expect, test } from 'vitest';
import { statementGroup } from './statement-group.ts';

test.each([
  ['select id from tickets t where id = $1', 'select tickets'],
  ['\n  select (select count(*) from users) from tickets', 'select users'],
  ['insert into messages (id) select id from tickets', 'insert messages'],
  ['update only tickets set a = 1', 'update tickets'],
  ['delete from graphile_worker.jobs', 'delete graphile_worker.jobs'],
  ['with due as (select 1 from mailboxes) update mailbox_syncs s set a = 1', 'with mailbox_syncs'],
  ['with due as (select 1 from mailboxes) select * from due', 'with mailboxes'],
  ["select 'from secrets' as a", 'select'],
  ['-- from a comment\nselect 1 from views', 'select views'],
  ['commit', 'commit'],
  ['', ''],
])('%s', (text, group) => {
  expect(statementGroup(text)).toBe(group);
});
