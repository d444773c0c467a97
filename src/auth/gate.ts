import type { FastifyRequest } from 'fastify';
import type { AccessTokens } from '../accounts/access-token.ts';
import type { Actor, Principal } from '../catalog/actor.ts';
import { type Permission, type Role, roleMay } from '../catalog/permissions.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Db } from '../platform/db.ts';
import type { Server } from '../platform/http.ts';
import { sql } from '../platform/sql.ts';

/**
 * The door: before a body is read it finds out who calls and whether they may, by the route's own declaration.
 * The order of its answers is one for all routes: 401, 400 for the header, 403 for membership, 403 for the role.
 */
export function installGate(server: Server, { db, tokens }: { db: Db; tokens: AccessTokens }): void {
  server.decorateRequest('actor', null);
  server.decorateRequest('principal', null);
  server.addHook('onRequest', async (request) => {
    const { can, signedIn } = request.routeOptions.config;
    if (can !== undefined) request.actor = await admit(db, tokens, request, can);
    else if (signedIn) await recognise(db, tokens, request);
  });
}

async function admit(db: Db, tokens: AccessTokens, request: FastifyRequest, permission: Permission): Promise<Actor> {
  const principal = await tokens.verify(bearerOf(request));
  const asked = workspaceOf(request);
  const workspaceId = asked instanceof AppError ? null : asked;
  const standing = await db.maybe<{ isLive: boolean; role: Role | null }>(sql`
    select s.ended_at is null as "isLive", m.role
    from sessions s
    left join members m on m.workspace_id = ${workspaceId}::uuid and m.user_id = s.user_id
    where s.id = ${principal.sessionId} and s.user_id = ${principal.userId}`);
  if (!standing?.isLive) throw new AppError('auth.token_invalid');
  if (asked instanceof AppError) throw asked;
  if (standing.role === null) throw new AppError('workspace.forbidden');
  if (!roleMay(standing.role, permission)) throw new AppError('auth.role_insufficient');
  request.principal = principal;
  // The one place where an actor is made.
  return { userId: principal.userId, workspaceId: asked, role: standing.role } as Actor;
}

async function recognise(db: Db, tokens: AccessTokens, request: FastifyRequest): Promise<void> {
  const principal: Principal = await tokens.verify(bearerOf(request));
  const session = await db.maybe(sql`
    select 1 from sessions where id = ${principal.sessionId} and user_id = ${principal.userId} and ended_at is null`);
  if (session === undefined) throw new AppError('auth.token_invalid');
  request.principal = principal;
}

function bearerOf(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined || header.trim() === '') throw new AppError('auth.token_missing');
  const token = /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
  if (token === undefined) throw new AppError('auth.token_invalid');
  return token;
}

/** The path's workspace, or what is wrong with how it was named: told only to whom a live session belongs. */
function workspaceOf(request: FastifyRequest): string | AppError {
  const { workspaceId } = request.params as { workspaceId: string };
  const header = request.headers['x-workspace-id'];
  if (typeof header !== 'string' || header.trim() === '') return new AppError('workspace.header_missing');
  if (header.trim().toLowerCase() !== workspaceId.toLowerCase()) return new AppError('workspace.header_mismatch');
  if (!isUuid(workspaceId)) return invalidRequest({ path: 'path.workspaceId', message: 'must match format "uuid"' });
  return workspaceId.toLowerCase();
}
