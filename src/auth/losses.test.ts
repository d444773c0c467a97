import { expect, test } from 'vitest';
import { isLoss } from './losses.ts';

test.each([
  'update sessions set ended_at = $1 where id = $2',
  'update sessions set second_factor_at = null where user_id = $1',
  'delete from sessions where id = $1',
  'update sessions set last_used_at = $1, ended_at = $1 where id = $2',
  "update members set role = 'viewer' where workspace_id = $1 and user_id = $2",
  'with gone as (\n  delete from members where workspace_id = $1 returning user_id\n) select * from gone',
  'update workspaces set name = $1, require_second_factor = $2 where id = $3',
  'delete from api_keys where workspace_id = $1 and id = $2 returning name',
])('a right may be lost by: %s', (text) => {
  expect(isLoss(text)).toBe(true);
});

test.each([
  'select role from members where workspace_id = $1',
  'update sessions set last_used_at = $1 where id = $2',
  'update sessions set last_used_at = $1\n    where id in (select id from sessions where id = $2)',
  'update api_keys set last_used_at = $1 where workspace_id = $2 and id = $3',
  'insert into sessions (id, user_id) values ($1, $2)',
  'update tickets set assignee_id = null where workspace_id = $1',
])('none is lost by: %s', (text) => {
  expect(isLoss(text)).toBe(false);
});
