import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newestToken } from '../../../test/harness/links.ts';
import { whileOpen } from '../../../test/harness/races.ts';
import { type Answer, call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { endSessions } from '../accounts/end-session.ts';
import { setPassword } from '../accounts/set-password.ts';

/** Requests that start with the old password and finish after the change that locks its holder out. */

const house = useHouse();
const password = 'correct horse battery';
let passwordHash: string;
let otherHash: string;

beforeAll(async () => {
  passwordHash = await house.app.passwords.hash(password);
  otherHash = await house.app.passwords.hash('stapled to the wall');
});

async function makePerson(): Promise<Person> {
  const person = await makeOwner(house);
  await house.app.db.tx((tx) =>
    tx.run(sql`update users set password_hash = ${passwordHash} where id = ${person.userId}`),
  );
  return person;
}

/** Sets another password, as a reset does. Commits once the call waits for the lock, after comparing its password. */
const whileReset = ({ userId }: Person, other: () => Promise<Answer>) =>
  whileOpen(
    house,
    async (tx) => {
      await setPassword(tx, { userId, passwordHash: otherHash });
      await endSessions(tx, { userId, except: null });
    },
    other,
  );
const keyOf = ({ status, body }: Answer) => [status, body.key];
const refused = [401, 'auth.invalid_credentials'];
const signIn = ({ email }: Person) => call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password });

describe('a password that is set while the old one is being compared', () => {
  test('opens no session to the old one', async () => {
    const person = await makePerson();
    expect(keyOf(await whileReset(person, () => signIn(person)))).toEqual(refused);
    const open = await house.app.db.rows(sql`
      select id from sessions where user_id = ${person.userId} and ended_at is null`);
    expect(open).toEqual([]);
  });

  test('is not replaced by a holder of the old password', async () => {
    const person = await makePerson();
    const change = () =>
      person.call('POST', '/v1/me/password', { currentPassword: password, newPassword: 'of the thief alone' });
    expect(keyOf(await whileReset(person, change))).toEqual(refused);
    const { hash } = await house.app.db.one<{ hash: string }>(sql`
      select password_hash as hash from users where id = ${person.userId}`);
    expect(hash).toBe(otherHash);
  });

  test('lets the old one set up no second factor', async () => {
    const person = await makePerson();
    const setUp = () => person.call('POST', '/v1/me/second-factor', { password });
    expect(keyOf(await whileReset(person, setUp))).toEqual(refused);
  });

  test('lets the old one accept no invitation', async () => {
    const [person, owner] = [await makePerson(), await makeOwner(house)];
    await owner.call('POST', '/invites', { email: person.email, role: 'admin' });
    const token = await newestToken(house, person.email);
    const accept = () => call(house, 'POST', '/v1/auth/accept-invite', { token, email: person.email, password });
    expect(keyOf(await whileReset(person, accept))).toEqual(refused);
    expect((await owner.call('GET', '/members')).body).toHaveLength(1);
  });
});

test('an account without a password sets nothing up from a session that is ended meanwhile', async () => {
  const owner = await makeOwner(house);
  const person = await makeMember(house, owner.workspaceId, 'agent');
  const setUp = () => person.call('POST', '/v1/me/second-factor', {});
  const answer = await whileOpen(house, (tx) => endSessions(tx, { userId: person.userId, except: null }), setUp);
  expect(keyOf(answer)).toEqual([401, 'auth.token_invalid']);
});
