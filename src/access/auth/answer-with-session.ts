import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { OpenedSession, Session } from './schema.ts';
import { refuseCrossSite } from './session-cookie.ts';

type Transport = 'bearer' | 'cookie' | undefined;

/**
 * Opens a session and returns it to the caller as tokens or as a cookie. Throws 403 `auth.cross_site`, before it opens
 * the session, when a page of another site asks for a cookie.
 */
export async function answerWithSession(
  { config, cookies, tokens }: App,
  { request, reply, transport }: { request: FastifyRequest; reply: FastifyReply; transport: Transport },
  open: () => Promise<Session>,
): Promise<OpenedSession> {
  if (transport !== 'cookie') return open();
  refuseCrossSite(request, config);
  const { accessToken, refreshToken: _, expiresIn: __, ...session } = await open();
  const principal = tokens.read(accessToken);
  if (principal instanceof Error) throw principal;
  cookies.set(reply, principal);
  return session;
}
