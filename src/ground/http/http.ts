import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Actor, Principal } from '../catalog/actor.ts';
import type { Permission } from '../catalog/permissions.ts';
import type { ErrorKey } from '../lib/error-catalog.ts';

/** The server type that routes use: it derives request and answer types from their schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission that the caller needs in the path's workspace. */
    can?: Permission;
    /** Any signed-in person may call this route. The route names no workspace. */
    signedIn?: true;
    public?: true;
    /** Machines call this route all the time and need an answer: it has no rate limit and is logged at `debug`. */
    probe?: true;
    /** The body is a file that streams to disk, so its time limit depends on its size. */
    takesFile?: true;
    /** The answer may have many megabytes, so it waits while other answers hold too much (`http/answer-limits.ts`). */
    isLarge?: true;
    /** This route's error keys, in addition to those of every route of its kind (`http/route-schema.ts`). */
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

/** The signed-in person of a route that declares `can` or `signedIn`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route is public: nobody is signed in');
  return request.principal;
}

export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The entity tags of the `If-Match` header (RFC 9110 §13.1.1). Undefined when the header is missing, empty or `*`. A
 * header without a tag gives an empty array, which matches nothing. A weak tag counts, against the RFC: proxies that
 * compress an answer weaken its tag or lengthen it, and our tags are versions, not bytes.
 */
export function ifMatchOf(request: FastifyRequest): string[] | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*' || header.trim() === '') return undefined;
  return (header.match(/"[^"]*"/g) ?? []).map((tag) => tag.replace(/--?(?:gzip|br|zstd|deflate)"$/, '"'));
}

/** The `Link` header to the next page (RFC 8288): the same request with the cursor. */
export function nextPageLink(url: string, cursor: string): string {
  // Only the first ? separates the query. Later question marks are part of its text.
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const parameters = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  parameters.delete('offset');
  parameters.set('cursor', cursor);
  return `<${path}?${parameters}>; rel="next"`;
}

/** The items of a page. Its answer gets the `Link` header to the next one. */
export function pageOf<Item>(
  { items, nextCursor }: { items: Item[]; nextCursor?: string | undefined },
  url: string,
  reply: FastifyReply,
): Item[] {
  if (nextCursor !== undefined) reply.header('link', nextPageLink(url, nextCursor));
  return items;
}
