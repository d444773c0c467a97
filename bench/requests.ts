import type autocannon from 'autocannon';
import { type Random, randomOf } from '../emulators/random.ts';
import { type AccessTokens, accessTokens } from '../src/accounts/access-token.ts';
import { systemClock } from '../src/lib/clock.ts';
import { connectionCount } from './limit-pool.ts';
import type { Operation, Wanted } from './operation.ts';
import { membersPerWorkspace, personOf, type World } from './world.ts';

/** So many different ones a connection: at ten thousand answers a second they come again after some seconds. */
const requestsPerConnection = 3_000;

/** The requests of every connection in a round; in each round others, and the same ones to the service and to its limit. */
export async function requestsOf(
  operation: Operation,
  world: World,
  round: number,
  authSecret: string,
): Promise<autocannon.Request[][]> {
  const tokens = accessTokens(Buffer.from(authSecret), systemClock);
  const signed = new Map<string, string>();
  return Promise.all(
    Array.from({ length: connectionCount }, async (_, connection) => {
      const random = randomOf(round, connection, operation.url.length);
      const requests: autocannon.Request[] = [];
      for (let made = 0; made < requestsPerConnection; made++) {
        const wanted = operation.want(world, random);
        const token = await tokenOf(tokens, signed, wanted, random);
        requests.push(requestOf(operation, wanted, token));
      }
      return requests;
    }),
  );
}

/** Any member of the workspace asks. */
async function tokenOf(
  tokens: AccessTokens,
  signed: Map<string, string>,
  { workspace }: Wanted,
  random: Random,
): Promise<string> {
  const { userId, sessionId } = personOf(workspace, random.below(membersPerWorkspace));
  const token = signed.get(userId) ?? (await tokens.sign({ userId, sessionId }));
  signed.set(userId, token);
  return token;
}

function requestOf({ method, url }: Operation, { params, query, body }: Wanted, token: string): autocannon.Request {
  const path = url.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  return {
    method,
    path: query === undefined ? path : `${path}?${query}`,
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': params.workspaceId,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
