import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { startChallenge } from './challenge.ts';

const house = useHouse({ EMAIL_VERIFICATION: 'off' });
const credentials = { email: 'sweep@example.org', password: 'correct horse battery' };
const post = (path: string, body: unknown) => call(house, 'POST', `/v1/auth/${path}`, body);
const countOf = async () => {
  const row = await house.app.db.one<Record<string, number>>(sql`
    select (select count(*) from sessions) as sessions, (select count(*) from refresh_tokens) as "refreshTokens",
      (select count(*) from link_tokens) as "linkTokens", (select count(*) from throttles) as throttles,
      (select count(*) from password_failures) as "passwordFailures",
      (select count(*) from sign_in_challenges) as challenges,
      (select count(*) from second_factors) as "secondFactors"`);
  return row;
};
const sweep = async () => {
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
};

test('expired rows are deleted, and valid rows stay', async () => {
  await post('register', credentials);
  const session = (await post('session', { provider: 'local', ...credentials })).body;
  const ended = (await post('session', { provider: 'local', ...credentials })).body;
  await post('logout', { refreshToken: ended.refreshToken });
  await post('session', { provider: 'local', ...credentials, password: 'wrong password' });
  await post('resend-verification', { email: credentials.email });
  const headers = { authorization: `Bearer ${session.accessToken}` };
  await call(house, 'POST', '/v1/me/second-factor', { password: credentials.password }, headers);
  await house.app.db.tx((tx) => startChallenge(tx, { userId: session.user.id, workspaceId: null, inviteId: null }));
  await house.drain();
  const before = await countOf();
  expect(before).toEqual({
    sessions: 2,
    refreshTokens: 2,
    linkTokens: 1,
    throttles: 1,
    passwordFailures: 1,
    challenges: 1,
    secondFactors: 1,
  });
  await sweep();
  expect(await countOf()).toEqual(before);

  house.clock.advance(50 * 3_600_000);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into throttles (action, subject, last_at)
      select 'many', n::text, ${tx.now}::timestamptz - interval '2 days' from generate_series(1, 5001) n`),
  );
  await sweep();
  expect(await countOf()).toEqual({
    sessions: 1,
    refreshTokens: 1,
    linkTokens: 0,
    throttles: 0,
    passwordFailures: 0,
    challenges: 0,
    secondFactors: 0,
  });
  expect((await post('refresh', { refreshToken: session.refreshToken })).status).toBe(200);

  house.clock.advance(32 * 86_400_000);
  await makeOwner(house);
  await sweep();
  expect(await countOf()).toMatchObject({ sessions: 1, refreshTokens: 0 });
});
