import pg from 'pg';
import { expect, test } from 'vitest';
import { brokenConstraint, isDatabaseAway, isDatabaseDiskFull } from './faults.ts';

function errorOf(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
}

test.each([
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:9702', true],
  ['XX000', 'could not commit transaction for shard 102022 on at least one active node', true],
  ['XX000', 'postmaster was shut down, exiting', true],
  ['XX000', 'terminating connection due to unexpected postmaster exit', true],
  ['XX000', 'cache lookup failed for type 1234', false],
  ['58P01', 'could not access file "plpgsql": No such file or directory', true],
  ['58P01', 'could not load library "/x/lib/dict_snowball.so": cannot open shared object file', true],
  ['58000', 'could not open file "base/1/2": Too many open files', true],
  ['58030', 'could not read block 3 in file "base/5/1": Input/output error', true],
  ['53100', 'could not extend file "base/5/1": No space left on device', true],
  ['42883', 'function of_a_defect() does not exist', false],
  ['57P01', 'terminating connection due to administrator command', true],
  ['23505', 'duplicate key value violates unique constraint', false],
])('%s "%s": the database is away: %s', (code, message, isAway) => {
  expect(isDatabaseAway(errorOf(code, message))).toBe(isAway);
});

test.each([
  ['53100', 'could not extend file "base/5/1": No space left on device', true],
  ['58030', 'could not write to file "pg_wal/xlogtemp.7": No space left on device', true],
  ['53200', 'out of memory', false],
])('%s "%s": the disk is full: %s', (code, message, isFull) => {
  expect(isDatabaseDiskFull(errorOf(code, message))).toBe(isFull);
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
