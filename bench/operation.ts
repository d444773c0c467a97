import type pg from 'pg';
import type { Random } from '../emulators/random.ts';
import type { Person, World } from './world.ts';

/** A request, as the service and the limit both get it. */
export type Wanted = {
  params: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The member who calls; none on public routes. */
  caller?: Person;
};

/** The input of a limit's route, from an HTTP request or from the loop over the driver alone. */
export type Given = { params: unknown; query: unknown; body: unknown; headers: { [userIdHeader]?: string } };

/** Names the caller to the limit, which reads no tokens. The service ignores this header. */
export const userIdHeader = 'x-user-id';

/** The goals of an operation. */
export type Goal = {
  /** The service's requests a second divided by the limit's. */
  ratioMin: number;
  /** The 99th percentile of the latency divided by the median. */
  spreadMax?: number;
  /** With one client, on the large data. */
  aloneP99MsMax?: number;
};

/** A measured operation in one file. A new operation is a new file and a line in `operations.ts`. */
export type Operation = {
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** The route's pattern, the same for the service and the limit. */
  url: string;
  /** Writing operations run after all reading operations, which so find the data as made. */
  isWrite: boolean;
  /** The callers' tokens are forged and get 401, for which the limit needs no database. */
  isRefused?: true;
  goal: Goal;
  /**
   * The operation's minimal SQL, in the fewest possible round trips, and its answer: no token, membership, validation,
   * event or log.
   */
  limit(pool: pg.Pool, given: Given): Promise<unknown>;
} & (Drawn | Followed);

/** Operations with requests made in advance. */
export type Drawn = { want(world: World, random: Random): Wanted };

/** Operations whose requests depend on the answer before. */
type Followed = {
  /** Begins for one connection. @returns a function that makes the next request from the last answer, if any */
  follow(place: FollowPlace): Promise<(answer: string | undefined) => Wanted>;
};

type FollowPlace = { world: World; pool: pg.Pool; random: Random; connection: number };

/** A statement that is planned once for each connection. */
export async function prepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}

/** A statement that is planned for each set of values, because the best plan depends on them. */
export async function planned<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ text, values })).rows;
}
