import type pg from 'pg';
import type { Random } from '../emulators/random.ts';
import type { Person, World } from './world.ts';

/** What a request is for, in the words of both the service and the limit. */
export type Wanted = {
  params: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The member who asks; nobody where the route asks for nobody. */
  caller?: Person;
};

/** What a route of the limit gets: of an HTTP request, or of the loop that asks the driver alone. */
export type Given = { params: unknown; query: unknown; body: unknown; headers: { [userIdHeader]?: string } };

/** Tells the limit who asks, as it looks at no token; the service knows it not. */
export const userIdHeader = 'x-user-id';

/** What is to be reached. */
export type Goal = {
  /** Requests a second over the limit's. */
  ratioMin: number;
  /** The 99th percentile of the latency over its median. */
  spreadMax?: number;
  /** With one client, on the large data. */
  aloneP99MsMax?: number;
};

/** One operation that is measured, whole in one file: a further one is a further file and a line in `operations.ts`. */
export type Operation = {
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** The route's pattern, which the service and the limit share. */
  url: string;
  /** Writing operations are measured behind all reading ones, so that those find the data as it was made. */
  isWrite: boolean;
  /** Its callers' tokens are forged: it is answered 401, and the limit needs no database for that. */
  isRefused?: true;
  goal: Goal;
  /**
   * The operation's minimal SQL, in as few round trips as there can be, and its answer: no token, membership, validation,
   * event or log.
   */
  limit(pool: pg.Pool, given: Given): Promise<unknown>;
} & (Drawn | Followed);

/** Operations whose requests are made beforehand. */
export type Drawn = { want(world: World, random: Random): Wanted };

/** Operations whose requests follow from one another: each is made when the one before it is answered. */
type Followed = {
  /** Begins for one of the connections. @returns the next request, from the body of the last answer, if there was one. */
  follow(place: FollowPlace): Promise<(answer: string | undefined) => Wanted>;
};

type FollowPlace = { world: World; pool: pg.Pool; random: Random; connection: number };

/** A statement that is planned once a connection. */
export async function prepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}

/** A statement that is planned each time anew, for its values: where they say which plan is the good one. */
export async function planned<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ text, values })).rows;
}
