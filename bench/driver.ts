import type pg from 'pg';
import { randomOf } from '../emulators/random.ts';
import { connectionCount } from './limit-pool.ts';
import { type Given, type Operation, userIdHeader, type Wanted } from './operation.ts';
import type { World } from './world.ts';

/** Counts how often a second the driver alone runs the operation's minimal SQL. */
export async function driveAlone(pool: pg.Pool, operation: Operation, world: World, seconds: number): Promise<number> {
  const begin = async (connection: number): Promise<(answer: string | undefined) => Wanted> => {
    const random = randomOf(connection, seconds);
    if ('follow' in operation) return operation.follow({ world, pool, random, connection });
    return () => operation.want(world, random);
  };
  const asking = await Promise.all(Array.from({ length: connectionCount }, (_, connection) => begin(connection)));
  const endsAt = performance.now() + seconds * 1_000;
  let answers = 0;
  const ask = async (next: (answer: string | undefined) => Wanted): Promise<void> => {
    let answer: string | undefined;
    while (performance.now() < endsAt) {
      const answered = await operation.limit(pool, givenOf(next(answer)));
      if ('follow' in operation) answer = JSON.stringify(answered);
      answers++;
    }
  };
  await Promise.all(asking.map(ask));
  return answers / seconds;
}

/** The input that the limit's route would get. */
export function givenOf({ params, query = {}, body, caller }: Wanted): Given {
  return { params, query, body, headers: caller === undefined ? {} : { [userIdHeader]: caller.userId } };
}
