import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { skipOnCitus } from '../../../test/harness/skip-on-citus.ts';
import { sql } from '../database/sql.ts';
import { newId } from '../lib/ids.ts';
import { openLog } from './log.ts';

const house = useHouse();

function logged(err: unknown): { text: string; err: Record<string, unknown> } {
  const lines: string[] = [];
  openLog('info', { write: (line) => void lines.push(line) }).error({ err }, 'failed');
  const text = lines.join('');
  return { text, err: JSON.parse(text).err };
}

const addUser = (email: string | null) =>
  house.app.db
    .tx((tx) =>
      tx.run(sql`
        insert into users (id, email, email_key, created_at)
        values (${newId()}, 'secret@example.org', ${email}, ${tx.now})`),
    )
    .then(
      () => undefined,
      (err) => err,
    );

test('a database error is logged with code, constraint and table, without the row', async (context) => {
  skipOnCitus(context, 'Citus does not pass on the constraint and the table of an error.');
  await addUser('secret@example.org');
  const duplicate = logged(await addUser('secret@example.org'));
  expect(duplicate.err).toMatchObject({ code: '23505', constraint: 'users_email_key_key', table: 'users' });
  expect(duplicate.err.stack).toMatch(/^error: duplicate key value[^\n]*\n +at /);
  expect(duplicate.text).not.toContain('secret@');

  const incomplete = logged(await addUser(null));
  expect(incomplete.err).toMatchObject({ code: '23502', table: 'users' });
  expect(incomplete.text).not.toContain('secret@');
});

test.each([
  'duplicate key: Key (email_key)=(secret@example.org) already exists.',
  'Failing row contains (1, a\nb, secret@example.org).',
])('the log omits a row that a message quotes: %s', (message) => {
  const { text } = logged(new Error('it failed', { cause: new Error(message) }));
  expect(text).toMatch(/it failed: .*\(…\)/);
  expect(text).not.toContain('secret@');
});

test('the log includes the cause of an error, but not its other fields', () => {
  const { err } = logged(
    Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'EX', response: '550 a@example.org' }),
  );
  expect(err).toEqual({ type: 'TypeError', message: 'outer: inner', code: 'EX', stack: expect.any(String) });
});

test('a wait in vain for a connection is told without a stack', () => {
  const message = 'timeout exceeded when trying to connect';
  expect(logged(new Error(message)).err).toEqual({ type: 'Error', message, stack: `Error: ${message}` });
  expect(logged(new Error('another fault')).err.stack).toMatch(/\n +at /);
});
