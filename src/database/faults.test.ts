import pg from 'pg';
import { expect, test } from 'vitest';
import { brokenConstraint, isDatabaseAway } from './faults.ts';

function errorOf(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
}

test.each([
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:9702', true],
  ['XX000', 'could not commit transaction for shard 102022 on at least one active node', true],
  ['XX000', 'postmaster was shut down, exiting', true],
  ['XX000', 'terminating connection due to unexpected postmaster exit', true],
  ['XX000', 'cache lookup failed for type 1234', false],
  ['57P01', 'terminating connection due to administrator command', true],
  ['23505', 'duplicate key value violates unique constraint', false],
])('%s "%s": the database is away: %s', (code, message, isAway) => {
  expect(isDatabaseAway(errorOf(code, message))).toBe(isAway);
});

test.each([
  [
    '23503',
    'insert or update on table "tickets_102033" violates foreign key constraint "tickets_fkey_102033"',
    'tickets_fkey',
  ],
  ['23505', 'duplicate key value violates unique constraint "saved_replies_shortcut_102961"', 'saved_replies_shortcut'],
  ['42P01', 'relation "tickets"', undefined],
])('%s "%s" breaks the constraint %s', (code, message, name) => {
  expect(brokenConstraint(errorOf(code, message))).toBe(name);
});
