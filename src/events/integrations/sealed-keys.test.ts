import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { makeHook, signatureOf, signaturesOn } from '../../../test/worlds/integrator.ts';
import { openSeal } from '../../ground/platform/seal.ts';
import { countSealedKeys, resealWebhooks } from './sealed-keys.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();

test('secrets are resealed with a new key, and sign as before', async () => {
  const hook = await makeHook(house, receiver);
  const { secret } = (await hook.ask('POST', '/rotate-secret')).body;
  const { db, config } = house.app;
  const newKey = Buffer.from('a key that came later than the other one');
  const both = openSeal([newKey, ...config.encryptionKeys]);
  const newOnly = openSeal([newKey]);
  expect(await countSealedKeys(db, both)).toEqual({ lost: 0, outdated: 1 });
  expect(await countSealedKeys(db, newOnly)).toEqual({ lost: 1, outdated: 0 });
  await resealWebhooks(db, both);
  expect(await countSealedKeys(db, newOnly)).toEqual({ lost: 0, outdated: 0 });
  house.app.seal = newOnly;
  await hook.ask('POST', '/test');
  await house.drain();
  const [received] = receiver.received;
  expect(signaturesOn(received!)).toEqual([secret, hook.secret].map((key) => signatureOf(key, received!)));
});
