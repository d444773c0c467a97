import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { checkGuesses, guessOfPassword, recordWrongGuess } from './limit-guesses.ts';

const house = useHouse();

test('a caller who changes addresses inside an IPv6 /64 is one caller', async () => {
  const { db, clock } = house.app;
  const from = (network: string, host: number) => guessOfPassword('tried@example.org', `${network}::${host}`);
  for (let host = 1; host <= 10; host++) await db.tx((tx) => recordWrongGuess(tx, from('2001:db8:0:1', host)));
  await expect(checkGuesses(db, from('2001:db8:0:1', 99), clock.now(), 0)).rejects.toMatchObject({ status: 429 });
  await expect(checkGuesses(db, from('2001:db8:0:2', 99), clock.now(), 0)).resolves.toBeUndefined();
});

test('an IPv4 address is the same when it comes over an IPv6 socket', async () => {
  const { db, clock } = house.app;
  const from = (ip: string) => guessOfPassword('mapped@example.org', ip);
  for (let count = 1; count <= 10; count++) await db.tx((tx) => recordWrongGuess(tx, from('::ffff:192.0.2.7')));
  await expect(checkGuesses(db, from('192.0.2.7'), clock.now(), 0)).rejects.toMatchObject({ status: 429 });
});
