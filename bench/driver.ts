import { randomOf } from '../emulators/random.ts';
import { connectionCount, openLimitPool } from './limit-pool.ts';
import type { Operation } from './operation.ts';
import type { World } from './world.ts';

/** How often a second the operation's minimal SQL runs through the driver alone. */
export async function driveAlone(
  databaseUrl: string,
  operation: Operation,
  world: World,
  seconds: number,
): Promise<number> {
  const pool = openLimitPool(databaseUrl);
  const endsAt = performance.now() + seconds * 1_000;
  let answers = 0;
  const ask = async (connection: number): Promise<void> => {
    const random = randomOf(connection, seconds);
    while (performance.now() < endsAt) {
      await operation.limit(pool, { body: undefined, ...operation.want(world, random) });
      answers++;
    }
  };
  await Promise.all(Array.from({ length: connectionCount }, (_, connection) => ask(connection)));
  await pool.end();
  return answers / seconds;
}
