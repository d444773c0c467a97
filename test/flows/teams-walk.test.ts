import { expect, test } from 'vitest';
import { useHouse } from '../harness/harness.ts';
import { walkTeams } from '../worlds/teams/walk.ts';

const house = useHouse();

/** `WALK_STEPS` and `WALK_SEED` walk farther, or the same way again. */
const steps = Number(process.env.WALK_STEPS ?? 60);
const seed = Number(process.env.WALK_SEED ?? 7);

test.each([1, 2] as const)(
  'each member lists, finds, reads and hears what the rules show them; processes: %s',
  {
    timeout: 60_000 + steps * 10_000,
  },
  async (processes) => {
    expect(steps).toBeGreaterThan(0);
    await walkTeams(house, { seed, steps, processes });
  },
);
