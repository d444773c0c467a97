import { expect, test } from 'vitest';
import { accessTables, silentRevocations } from './revocations.ts';
import { readSources } from './sources.ts';

/** How statements that revoke nothing begin, and why. */
const harmless: readonly (readonly [beginning: string, why: string])[] = [
  [
    'src/access/accounts/note-session-use.ts: update sessions set last_used_at',
    'The gate reads it for its own note alone.',
  ],
  ['src/access/accounts/refresh-session.ts: with spent as ( update refresh_tokens', 'It notes the use of the session.'],
  ['src/access/accounts/sweep.ts: delete from sessions where id in', 'These sessions ended, or their tokens expired.'],
  ['src/transport/deliveries/settle-delivery.ts: update workspaces set answered_at', 'The gate does not read it.'],
  ['src/helpdesk/erasures/erase-rest.ts: update workspaces set tag_colours', 'The gate does not read it.'],
  ['src/inbox/tags/colours.ts: update workspaces set tag_colours', 'The gate does not read it.'],
  [
    'src/access/workspaces/keys/note-key-use.ts: update api_keys set last_used_at',
    'The gate reads it for its own note alone.',
  ],
  ['src/access/workspaces/own-preferences.ts: update members set signature_html', 'The gate does not read it.'],
  ['src/access/workspaces/remove-member.ts: delete from members', 'The member was removed before.'],
];
const sources = await readSources('src', /(?<!\.test)\.ts$/);
const tables = accessTables(sources);

test('every statement that may revoke access stands in a verb that says so', () => {
  expect([...tables].sort()).toEqual(['api_keys', 'members', 'sessions', 'team_members', 'teams', 'workspaces']);
  const silent = silentRevocations(sources, tables);
  expect(silent.filter((line) => !harmless.some(([beginning]) => line.startsWith(beginning)))).toEqual([]);
  expect(harmless.filter(([beginning]) => !silent.some((line) => line.startsWith(beginning)))).toEqual([]);
});

test('every statement that may change the own addresses of a workspace stands in such a verb too', () => {
  const silent = silentRevocations(sources, new Set(['mailboxes', 'inbound_addresses']));
  const changes = silent.filter((line) => /insert into|(?<!\w)(?:address|aliases) = /.test(line));
  // `keepOwnAddress` says so for this verb.
  expect(changes).toEqual([
    expect.stringMatching(/^src\/mail\/mailboxes\/follow-profile\.ts: update mailboxes set address = /),
  ]);
});

const verb = (statement: string, revokes = '') => [
  { path: 'src/a/b.ts', text: `async function end(tx) { ${revokes} await tx.run(sql\`${statement}\`); }` },
];

test.each([
  'update sessions set ended_at = $1 where id = $1',
  'update sessions set last_used_at = $1, ended_at = $1 where id = $1',
  'with gone as (\n  delete from members where workspace_id = $1 returning user_id\n) select * from gone',
  'insert into members (workspace_id, role) values ($1, $1) on conflict do update set role = excluded.role',
  'delete from api_keys',
])('a verb that is silent about this statement is named: %s', (statement) => {
  expect(silentRevocations(verb(statement), tables)).toEqual([expect.stringMatching(/^src\/a\/b\.ts: \w+ /)]);
  expect(silentRevocations(verb(statement, 'tx.revokes();'), tables)).toEqual([]);
});

test.each([
  'select role from members where workspace_id = $1 for no key update of members',
  'insert into sessions (id, user_id) values ($1, $1)',
  'update tickets set assignee_id = null where workspace_id = $1',
])('this statement cannot revoke: %s', (statement) => {
  expect(silentRevocations(verb(statement), tables)).toEqual([]);
});
