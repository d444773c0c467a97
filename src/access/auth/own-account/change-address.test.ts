import { expect, test } from 'vitest';
import { readEvents } from '../../../../test/harness/event-reader.ts';
import { useHouse } from '../../../../test/harness/harness.ts';
import { mailsTo, newestToken } from '../../../../test/harness/links.ts';
import { whileOpen } from '../../../../test/harness/races.ts';
import { call, givePassword, makeMember, makeOwner } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import { sendSystemMail } from '../../../transport/mailflow/sending/system-mail.ts';
import { changeEmail } from '../../accounts/change-email.ts';

const house = useHouse();
const password = 'correct horse battery';
const post = (path: string, body: object) => call(house, 'POST', path, body);
const signIn = (email: string) => post('/v1/auth/session', { provider: 'local', email, password });
const makePerson = async () => givePassword(house, await makeOwner(house), password);

test('an address changes once its link is followed, and the old address is notified', async () => {
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

  // Open sessions stay open.
  expect((await person.call('GET', '/v1/me')).body.user.email).toBe('Ada@New.example.org');
  expect((await signIn('ada@new.example.org')).status).toBe(200);
  expect((await signIn(person.email)).status).toBe(401);
  expect((await mailsTo(house, person.email)).at(-1)?.subject).toBe('The address of your account was changed');
  // A reader of the old address can no longer get in.
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

test('without a password a recent sign-in suffices', async () => {
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

test('a holder of the old password cannot move the account to another address after a reset', async () => {
  const { email, call: asThief } = await makePerson();
  await asThief('POST', '/v1/me/email', { email: 'thief@reset.example', password });
  const token = await newestToken(house, 'thief@reset.example');
  await post('/v1/auth/forgot-password', { email });
  const reset = { token: await newestToken(house, email), password: 'another horse battery' };
  expect((await post('/v1/auth/reset-password', reset)).status).toBe(200);
  const confirmed = await post('/v1/auth/confirm-email', { token });
  expect([confirmed.status, confirmed.body.key]).toEqual([410, 'auth.link_expired']);
});

test('a link to a new address is not mailed once the session that asked for it has ended', async () => {
  const thief = await makePerson();
  expect((await thief.call('POST', '/v1/me/email', { email: 'thief@late.example', password })).status).toBe(200);
  const { accessToken } = (await signIn(thief.email)).body;
  const change = { currentPassword: password, newPassword: 'another horse battery' };
  const changed = await call(house, 'POST', '/v1/me/password', change, { authorization: `Bearer ${accessToken}` });
  expect(changed.status).toBe(200);
  expect(await mailsTo(house, 'thief@late.example')).toEqual([]);
});

test('no link to reset the password goes to an address that is being replaced', async () => {
  const person = await makePerson();
  const { userId, email } = person;
  await person.call('POST', '/v1/me/email', { email: 'moved@new.example.org', password });
  const token = await newestToken(house, 'moved@new.example.org');
  await whileOpen(
    house,
    (tx) => changeEmail(tx, token),
    () => sendSystemMail(house.app, { kind: 'password-reset', userId }),
  );
  const subjects = async (to: string) => (await mailsTo(house, to)).map(({ subject }) => subject);
  expect(await subjects(email)).toEqual([]);
  expect(await subjects('moved@new.example.org')).toEqual(['Confirm your new address', 'Set a new password']);
});
