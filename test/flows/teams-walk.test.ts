import { expect, test } from 'vitest';
import { useHouse } from '../harness/harness.ts';
import { walkTeams } from '../worlds/teams-walk.ts';

const house = useHouse();

/** `WALK_STEPS` and `WALK_SEED` walk farther, or the same way again. */
const steps = Number(process.env.WALK_STEPS ?? 120);
const seed = Number(process.env.WALK_SEED ?? 7);

test('whatever changes, each member lists, finds, counts, reads and hears what the rules show them', {
  timeout: 60_000 + steps * 1_000,
}, async () => {
  expect(steps).toBeGreaterThan(0);
  await walkTeams(house, { seed, steps });
});
