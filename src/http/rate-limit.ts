import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { Server } from './http.ts';

const windowSeconds = 60;

/**
 * Counts what each caller asks for, before the gate looks at it, and refuses what is too much with 429.
 * Routes that declare `probe` are neither counted nor refused.
 * @param callerOf whose request it is, or undefined: then the address counts
 */
export async function installRateLimit(
  server: Server,
  perMinuteMax: number,
  callerOf: (request: FastifyRequest) => string | undefined,
): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    max: perMinuteMax,
    timeWindow: windowSeconds * 1_000,
    cache: 50_000,
    keyGenerator: (request) => callerOf(request) ?? callerAddress(request.ip),
  });
  const count = server.createRateLimit();
  // Not the plugin's own hook: that would run behind the gate's, and sends the headers of an older draft.
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.probe) return;
    const state = await count(request);
    if (state.isAllowed) return;
    tell(reply, perMinuteMax, state.remaining, state.ttlInSeconds);
    if (state.isExceeded) {
      throw new AppError('rate_limited', {}, { headers: { 'retry-after': String(Math.max(state.ttlInSeconds, 1)) } });
    }
  });
}

/** An address as a caller is counted by: of IPv6 the /64 that a subscriber has, of IPv4 in IPv6 the IPv4. */
export function callerAddress(ip: string): string {
  return normalizeIP(ip);
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10: what is left and for how many seconds, and the policy. */
function tell(reply: FastifyReply, max: number, remaining: number, resetSeconds: number): void {
  reply.header('ratelimit', `"caller";r=${remaining};t=${resetSeconds}`);
  reply.header('ratelimit-policy', `"caller";q=${max};w=${windowSeconds}`);
}
