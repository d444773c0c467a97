import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { Server } from './http.ts';

const windowSeconds = 60;

/**
 * Counts each caller's requests before the gate runs, and refuses requests above the limit with 429.
 * Routes that declare `probe` are neither counted nor refused.
 * @param callerOf names the caller of a request; for undefined the address counts
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
  // The plugin's own hook would run after the gate, and sends the headers of an older draft.
  server.addHook('onRequest', hookOf(server.createRateLimit(), perMinuteMax));
}

/** The hook of routes that have a lower limit beside that of all. Comes after `installRateLimit`, if that comes. */
export function lowerLimit(server: Server, perMinuteMax: number): LimitHook {
  if (!server.hasDecorator('createRateLimit')) return async () => {};
  return hookOf(server.createRateLimit({ max: perMinuteMax, timeWindow: windowSeconds * 1_000 }), perMinuteMax);
}

type LimitHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function hookOf(count: ReturnType<Server['createRateLimit']>, perMinuteMax: number): LimitHook {
  return async (request, reply) => {
    if (request.routeOptions.config.probe) return;
    const state = await count(request);
    if (state.isAllowed) return;
    setLimitHeaders(reply, perMinuteMax, state.remaining, state.ttlInSeconds);
    if (state.isExceeded) {
      throw new AppError('rate_limited', {}, { headers: { 'retry-after': String(Math.max(state.ttlInSeconds, 1)) } });
    }
  };
}

/** The counted part of an address: the subscriber's /64 of IPv6, and the IPv4 address of IPv4-mapped IPv6. */
export function callerAddress(ip: string): string {
  return normalizeIP(ip);
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10: the rest, the seconds until the reset, the policy. */
function setLimitHeaders(reply: FastifyReply, max: number, remaining: number, resetSeconds: number): void {
  reply.header('ratelimit', `"caller";r=${remaining};t=${resetSeconds}`);
  reply.header('ratelimit-policy', `"caller";q=${max};w=${windowSeconds}`);
}
