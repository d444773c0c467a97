import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { buildReplica, useHouse } from '../../../test/harness/harness.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { countSealedFactors } from '../accounts/second-factor.ts';

const key = (text: string) => text.padEnd(32, '.');
const house = useHouse({ ENCRYPTION_KEY: key('old') });
const password = 'correct horse battery';

async function enrol(): Promise<Person & { secret: string }> {
  const person = await makeOwner(house);
  const hash = await house.app.passwords.hash(password);
  await house.app.db.tx((tx) => tx.run(sql`update users set password_hash = ${hash} where id = ${person.userId}`));
  const { secret } = (await person.call('POST', '/v1/me/second-factor', { password })).body;
  await person.call('POST', '/v1/me/second-factor/confirm', { code: codeOf(secret) });
  return { ...person, secret };
}

const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: house.clock.now().getTime() });

/** Signs in with a code at a service with these keys. Returns the answer, and the counts that its start would log. */
async function signInWith(keys: string[], { email, secret }: { email: string; secret: string }) {
  house.clock.advance(30_000);
  const config = { ...house.app.config, encryptionKeys: keys.map((text) => Buffer.from(key(text))) };
  const service = await buildReplica({ ...house, app: { ...house.app, config } });
  try {
    const told = await countSealedFactors(service.app.db, service.app.seal);
    const session = (body: object) => call(service, 'POST', '/v1/auth/session', { provider: 'local', ...body });
    const { challenge } = (await session({ email, password })).body.params;
    return { told, status: (await session({ challenge, code: codeOf(secret) })).status };
  } finally {
    await service.close();
  }
}

test('each use reseals a second factor under the newest key, and factors of missing keys are counted', async () => {
  const person = await enrol();
  expect(await signInWith(['other'], person)).toEqual({ told: { lost: 1, outdated: 0 }, status: 500 });
  expect(await signInWith(['new', 'old'], person)).toEqual({ told: { lost: 0, outdated: 1 }, status: 200 });
  expect(await signInWith(['new', 'old'], person)).toEqual({ told: { lost: 0, outdated: 0 }, status: 200 });
  expect(await signInWith(['new'], person)).toEqual({ told: { lost: 0, outdated: 0 }, status: 200 });
});
