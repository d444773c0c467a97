import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Actor, Principal } from '../catalog/actor.ts';
import type { Permission } from '../catalog/permissions.ts';
import type { ErrorKey } from '../lib/errors.ts';

/** The server as the rooms see it: schemas are types. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must be allowed to do in the path's workspace. */
    can?: Permission;
    /** Whoever is signed in may call it; no workspace is named. */
    signedIn?: true;
    public?: true;
    /** Called by machines all the time, which need an answer: not counted against the caller's limit, logged at `debug`. */
    probe?: true;
    /** The body is a file that streams to disk: its time limit depends on its size. */
    takesFile?: true;
    /** Its answer may have many megabytes, so it waits while other answers hold too much (`http/answer-limits.ts`). */
    isLarge?: true;
    /** The keys that this route answers with beside those that its kind of route always can (`http/route-schema.ts`). */
    errors?: readonly ErrorKey[];
  }
  interface FastifyRequest {
    /** Set by the gate on routes with `can`. */
    actor: Actor | null;
    /** Set by the gate on routes with `can` or `signedIn`. */
    principal: Principal | null;
  }
}

/** The actor of a route that declares `can`. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error('this route declares no permission: no actor was minted');
  return request.actor;
}

/** The person of a route that declares `can` or `signedIn`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route is public: nobody is signed in');
  return request.principal;
}

export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The strong entity tags that an `If-Match` header names (RFC 9110 §13.1.1), or undefined when there is no such header or it
 * is `*`. A header that names none of ours matches nothing: an empty array.
 */
export function ifMatchOf(request: FastifyRequest): string[] | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*' || header.trim() === '') return undefined;
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}

/** The `Link` header of a page that another one follows (RFC 8288): the same request, from the cursor on. */
export function nextPageLink(url: string, cursor: string): string {
  // Behind the first ? another one is text.
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const parameters = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  parameters.delete('offset');
  parameters.set('cursor', cursor);
  return `<${path}?${parameters}>; rel="next"`;
}
