import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { migrate } from '../../ground/database/migrate.ts';
import { newId, type UserId } from '../../ground/lib/ids.ts';
import { openLog } from '../../ground/platform/log.ts';
import { readPreferences } from './preferences.ts';

const house = useHouse();

test('accounts from before the new types keep what they had, whether they chose it or not', async () => {
  const { pool } = house.app.db;
  await pool.query('drop schema public cascade; create schema public');
  await migrate(house.databaseUrl, openLog('silent'), '106_statistics_of_messages.sql');
  const [silent, chooser] = [newId<UserId>(), newId<UserId>()];
  const chosen = { reply: { inApp: false, email: false } };
  for (const id of [silent, chooser])
    await pool.query(`insert into users (id, email, email_key, created_at) values ($1, $2, $2, now())`, [
      id,
      `${id}@example.org`,
    ]);
  await pool.query(
    `insert into notification_preferences (user_id, digest, types, unsubscribe_key, updated_at)
     values ($1, 'hourly', $2, 'key', now())`,
    [chooser, JSON.stringify(chosen)],
  );
  await migrate(house.databaseUrl, openLog('silent'));
  const off = { inApp: false, email: false };
  const nothingNew = { colleague: off, new_ticket: off, unassigned_reply: off };
  const inAppOnly = { inApp: true, email: false };
  expect(await readPreferences(house.app.db, silent)).toMatchObject({
    digest: 'at_once',
    types: { reply: inAppOnly, mention: { email: true }, ...nothingNew },
  });
  expect(await readPreferences(house.app.db, chooser)).toMatchObject({
    digest: 'hourly',
    types: { ...chosen, ...nothingNew },
  });
  const { rows } = await pool.query('select unsubscribe_key as key from notification_preferences where user_id = $1', [
    silent,
  ]);
  expect(rows[0].key).toHaveLength(32);
});
