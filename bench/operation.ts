import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { Random } from '../emulators/random.ts';
import type { World } from './world.ts';

/** What a request is for, in the words of both the service and the limit. */
export type Wanted = { workspace: number; params: Record<string, string>; query?: string; body?: object };

/** What a route of the limit gets: of an HTTP request, or of the loop that asks the driver alone. */
type Given = Pick<FastifyRequest, 'params' | 'body'>;

/** One operation that is measured, whole in one file: a further one is a further file and a line in `operations.ts`. */
export type Operation = {
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** The route's pattern, which the service and the limit share. */
  url: string;
  /** Writing operations are measured behind all reading ones, so that those find the data as it was made. */
  isWrite: boolean;
  want(world: World, random: Random): Wanted;
  /**
   * The operation's minimal SQL, in as few round trips as there can be, and its answer: no token, membership, validation,
   * event or log.
   */
  limit(pool: pg.Pool, given: Given): Promise<unknown>;
};

/** A statement that is planned once a connection. */
export async function prepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}
