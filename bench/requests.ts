import type autocannon from 'autocannon';
import type pg from 'pg';
import { randomOf } from '../emulators/random.ts';
import { accessTokens } from '../src/access/accounts/access-token.ts';
import { systemClock } from '../src/ground/lib/clock.ts';
import { connectionCount } from './limit-pool.ts';
import { type Operation, userIdHeader, type Wanted } from './operation.ts';
import { everybody, type World } from './world.ts';

/** The requests of a connection: a list that repeats, or a function that makes each from the last answer. */
export type Asking = readonly autocannon.Request[] | ((answer: string | undefined) => autocannon.Request);

/** Different requests per connection. At ten thousand answers a second they repeat after some seconds. */
const requestsPerConnection = 3_000;

export type AskingPlace = { world: World; pool: pg.Pool; authSecret: string };

/** The requests of each connection, by the seed. The service and its limit get the same. */
export async function askingOf(
  operation: Operation,
  { world, pool, authSecret }: AskingPlace,
  seed: number,
  requestsEach: number = requestsPerConnection,
): Promise<Asking[]> {
  const tokens = signTokens(operation.isRefused ? `not ${authSecret}` : authSecret);
  const askingAs = async (connection: number): Promise<Asking> => {
    const random = randomOf(seed, connection, operation.name.length);
    if ('follow' in operation) {
      const next = await operation.follow({ world, pool, random, connection });
      return (answer) => requestOf(operation, next(answer), tokens);
    }
    return Array.from({ length: requestsEach }, () => requestOf(operation, operation.want(world, random), tokens));
  };
  return Promise.all(Array.from({ length: connectionCount }, (_, connection) => askingAs(connection)));
}

/** The access token of every user, by user id. */
export function signTokens(authSecret: string): ReadonlyMap<string, string> {
  const tokens = accessTokens(Buffer.from(authSecret), systemClock);
  const signed = new Map<string, string>();
  for (const { userId, sessionId } of everybody()) signed.set(userId, tokens.sign({ userId, sessionId }));
  return signed;
}

export function requestOf(
  { method, url }: Operation,
  { params, query, body, caller }: Wanted,
  tokens: ReadonlyMap<string, string>,
): autocannon.Request {
  const path = url.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  return {
    method,
    path: query === undefined ? path : `${path}?${new URLSearchParams(query)}`,
    headers: {
      ...(caller === undefined
        ? {}
        : {
            authorization: `Bearer ${tokens.get(caller.userId)}`,
            'x-workspace-id': params.workspaceId,
            [userIdHeader]: caller.userId,
          }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
