import { expect, test } from 'vitest';
import { readEvents } from '../../test/event-reader.ts';
import { call, givePassword, makeMember, makeOwner } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { mailsTo, newestToken } from '../../test/links.ts';
import { sql } from '../platform/sql.ts';

const house = useHouse();
const password = 'correct horse battery';
const post = (path: string, body: object) => call(house, 'POST', path, body);
const signIn = (email: string) => post('/v1/auth/session', { provider: 'local', email, password });
const makePerson = async () => givePassword(house, await makeOwner(house), password);

test('an address changes once its link was followed, and the old one is told', async () => {
  const person = await makePerson();
  const colleague = await makeMember(house, person.workspaceId, 'admin');
  await post('/v1/auth/forgot-password', { email: person.email });
  const resetToken = await newestToken(house, person.email);
  const asked = await person.call('POST', '/v1/me/email', { email: 'Ada@New.example.org', password });
  expect([asked.status, asked.body]).toEqual([200, {}]);
  expect((await person.call('GET', '/v1/me')).body.user.email).toBe(person.email);
  const token = await newestToken(house, 'ada@new.example.org');
  const stream = await readEvents(house, colleague);
  await stream.until(() => stream.lastEventId() !== '');
  expect((await post('/v1/auth/confirm-email', { token })).status).toBe(200);
  await stream.until((all) => all.some(({ event, data }) => event === 'member' && data.userId === person.userId));
  stream.close();

  // Whoever was signed in still is.
  expect((await person.call('GET', '/v1/me')).body.user.email).toBe('Ada@New.example.org');
  expect((await signIn('ada@new.example.org')).status).toBe(200);
  expect((await signIn(person.email)).status).toBe(401);
  expect((await mailsTo(house, person.email)).at(-1)?.subject).toBe('The address of your account was changed');
  // Who reads the old address has no way in any more.
  const reset = await post('/v1/auth/reset-password', { token: resetToken, password: 'another horse battery' });
  expect([reset.status, reset.body.key]).toEqual([410, 'auth.link_expired']);
  const again = await post('/v1/auth/confirm-email', { token });
  expect([again.status, again.body.key]).toEqual([410, 'auth.link_expired']);
  const { items } = (await colleague.call('GET', '/audit?type=email.changed')).body;
  expect(items).toMatchObject([{ data: { from: person.email, to: 'Ada@New.example.org' } }]);
});

test('a session alone changes no address, and mails go once a minute', async () => {
  const person = await makePerson();
  const wrong = await person.call('POST', '/v1/me/email', { email: 'thief@example.org', password: 'wrong' });
  expect([wrong.status, wrong.body.key]).toEqual([401, 'auth.invalid_credentials']);
  expect((await person.call('POST', '/v1/me/email', { email: 'thief@example.org' })).status).toBe(401);
  expect(await mailsTo(house, 'thief@example.org')).toEqual([]);
  const ask = () => person.call('POST', '/v1/me/email', { email: 'own@example.org', password });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
});

test('without a password a sign-in of the last minutes stands for it', async () => {
  const person = await makeOwner(house);
  expect((await person.call('POST', '/v1/me/email', { email: 'fresh@example.org' })).status).toBe(200);
  await house.app.db.tx((tx) =>
    tx.run(sql`update sessions set created_at = created_at - interval '1 hour' where id = ${person.sessionId}`),
  );
  expect((await person.call('POST', '/v1/me/email', { email: 'stale@example.org' })).status).toBe(401);
});

test('of two accounts that want one address one gets it, and the answer to asking is the same', async () => {
  const [one, other] = [await makePerson(), await makePerson()];
  const tokens: string[] = [];
  for (const person of [one, other]) {
    expect((await person.call('POST', '/v1/me/email', { email: 'both@example.org', password })).status).toBe(200);
    tokens.push(await newestToken(house, 'both@example.org'));
  }
  const answers = await Promise.all(tokens.map((token) => post('/v1/auth/confirm-email', { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.key).toBe('auth.email_taken');
});
