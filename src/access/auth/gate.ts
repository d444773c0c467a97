import type { FastifyRequest } from 'fastify';
import type { Actor, Principal } from '../../ground/catalog/actor.ts';
import { isDecidedAnew, type Permission, type Role, roleMay } from '../../ground/catalog/permissions.ts';
import { type Db, together } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../ground/database/sight.ts';
import { quick, sql } from '../../ground/database/sql.ts';
import type { Server } from '../../ground/http/http.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { readId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { Config } from '../../ground/settings/config.ts';
import type { AccessTokens } from '../accounts/access-token.ts';
import { noteSessionUse, sessionUseSeconds } from '../accounts/note-session-use.ts';
import { hashOfToken } from '../accounts/secret-token.ts';
import { isApiKey } from '../workspaces/keys/api-key.ts';
import type { AccessCache } from './access-cache.ts';
import { admitKey, isKeyOfAny } from './admit-key.ts';
import { bearerIn } from './bearer.ts';
import type { KnownKeys } from './known-keys.ts';
import { isCrossSite, type SessionCookies } from './session-cookie.ts';

type GateParts = {
  config: Pick<Config, 'publicUrl'>;
  db: Db;
  access: AccessCache;
  clock: Clock;
  tokens: AccessTokens;
  cookies: SessionCookies;
  knownKeys: KnownKeys;
};

/**
 * Authenticates each request and checks the permission that its route declares, before the body is read. Errors come in
 * the same order for all routes: 401, 400 for the header, 403 for membership, 403 for the role. The end of a session, a
 * membership or a key takes effect with its answer in this process, and within a second in all other processes. Routes
 * that change sessions, members or keys skip the cache (`access-cache.ts`).
 */
export function installGate(server: Server, parts: GateParts): void {
  server.decorateRequest('actor', null);
  server.decorateRequest('principal', null);
  // Refuses a bad credential without a rejected promise, which took a fifth of the cost of such an answer. Bad
  // credentials may come in floods.
  server.addHook('onRequest', (request, reply, done) => {
    const { can, signedIn } = request.routeOptions.config;
    if (can === undefined && !signedIn) {
      done();
      return;
    }
    const shown = shownBy(parts, request);
    if (shown instanceof AppError) {
      done(shown);
      return;
    }
    const admitted = can === undefined ? recognise(parts, request, shown) : admit(parts, request, shown, can);
    admitted.then(() => {
      if (shown.kind === 'session' && shown.isByCookie) parts.cookies.renew(reply, shown.principal);
      done();
    }, done);
  });
}

/** A request's credential: an API key, not yet checked, or the session of a valid token. */
type Shown = { kind: 'key'; secret: string } | { kind: 'session'; principal: Principal; isByCookie: boolean };

/** Returns 401 unless the request has exactly one valid credential. A cookie counts only without `Authorization`. */
function shownBy(parts: GateParts, request: FastifyRequest): Shown | AppError {
  const { tokens } = parts;
  const header = request.headers.authorization;
  if (header === undefined) return shownByCookie(parts, request);
  if (header.trim() === '') return new AppError('auth.token_missing');
  const bearer = bearerIn(header);
  if (bearer === undefined) return new AppError('auth.token_invalid');
  if (isApiKey(bearer)) return { kind: 'key', secret: bearer };
  const principal = tokens.read(bearer);
  return principal instanceof AppError ? principal : { kind: 'session', principal, isByCookie: false };
}

function shownByCookie({ cookies, config }: GateParts, request: FastifyRequest): Shown | AppError {
  const principal = cookies.read(request);
  if (principal === undefined) return new AppError('auth.token_missing');
  if (principal instanceof AppError) return principal;
  return isCrossSite(request, config)
    ? new AppError('auth.cross_site')
    : { kind: 'session', principal, isByCookie: true };
}

/** The only place that creates an actor. */
async function admit(parts: GateParts, request: FastifyRequest, shown: Shown, permission: Permission): Promise<void> {
  const asked = workspaceOf(request, shown);
  const admitted =
    shown.kind === 'session'
      ? await admitSession(parts, { request, principal: shown.principal, asked, permission })
      : await admitKey(parts, { secret: shown.secret, asked, permission });
  if (shown.kind === 'key' && admitted.keyId !== null) parts.knownKeys.remember(shown.secret, admitted.keyId);
  const { hidden, isNarrow, ...caller } = admitted;
  request.actor = { ...caller, sight: sightOf({ ...caller, hidden, isNarrow }) } as Actor;
}

type Asking = { request: FastifyRequest; principal: Principal; asked: WorkspaceId | AppError; permission: Permission };

async function admitSession(parts: GateParts, { request, principal, asked, permission }: Asking) {
  if (asked instanceof AppError) {
    await standingOf(parts, principal, null);
    throw asked;
  }
  const find = () => memberStandingOf(parts, principal, asked);
  const key = `${principal.sessionId} ${principal.userId} ${asked}`;
  const standing = isDecidedAnew(permission) ? await find() : await parts.access.know(key, find);
  if (standing.lacksSecondFactor && !isOwnLeave(request, permission, principal))
    throw new AppError('workspace.second_factor_required');
  if (!roleMay(standing.role, permission)) throw new AppError('auth.role_insufficient');
  if (!standing.isUseNoted) await noteUse(parts, principal, standing);
  request.principal = principal;
  const { role, hidden } = standing;
  return { userId: principal.userId, workspaceId: asked, role, hidden, isNarrow: false, keyId: null };
}

/** A member without the required second factor may still leave the workspace. */
function isOwnLeave({ params }: FastifyRequest, permission: Permission, { userId }: Principal): boolean {
  return permission === 'member.leave' && (params as { userId?: UserId }).userId?.toLowerCase() === userId;
}

async function recognise(parts: GateParts, request: FastifyRequest, shown: Shown): Promise<void> {
  if (shown.kind === 'key') {
    const isKey = await isKeyOfAny(parts.db, hashOfToken(shown.secret));
    throw new AppError(isKey ? 'auth.session_required' : 'auth.token_invalid');
  }
  const standing = await standingOf(parts, shown.principal, null);
  if (!standing.isUseNoted) await noteUse(parts, shown.principal, standing);
  request.principal = shown.principal;
}

type Standing = { role: Role; hidden: Hidden };
type SessionAccess = { isUseNoted: boolean; lacksSecondFactor: boolean; member: Standing | null };
type MemberAccess = Omit<SessionAccess, 'member'> & Standing;

/**
 * Reads a session's state and, given a workspace, its user's role there. Throws 401 when the session has ended.
 * Every request waits for these statements, which share one round trip. They are two, because Citus keeps sessions on
 * the coordinator and members on the node of their workspace.
 */
async function standingOf(
  { db, clock }: GateParts,
  { sessionId, userId }: Principal,
  workspaceId: WorkspaceId | null,
): Promise<SessionAccess> {
  const [session, member] = await together([
    db.maybe<{ isUseNoted: boolean; hasSecondFactor: boolean }>(
      quick(sql`
      select s.last_used_at > ${clock.now()}::timestamptz - make_interval(secs => ${sessionUseSeconds}) as "isUseNoted",
        s.second_factor_at is not null as "hasSecondFactor"
      from sessions s
      where s.id = ${sessionId} and s.user_id = ${userId} and s.ended_at is null`),
    ),
    workspaceId === null
      ? undefined
      : db.maybe<Standing & { requireSecondFactor: boolean }>(
          quick(sql`
          select m.role, ${hiddenFrom(workspaceId)}, w.require_second_factor as "requireSecondFactor"
          from members m
          join workspaces w on w.id = ${workspaceId}
          where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.removed_at is null`),
        ),
  ]);
  if (session === undefined) throw new AppError('auth.token_invalid');
  const lacksSecondFactor = member?.requireSecondFactor === true && !session.hasSecondFactor;
  return { isUseNoted: session.isUseNoted, lacksSecondFactor, member: member ?? null };
}

/** Throws 403 for a stranger, so that the cache never keeps a refusal: a person who is then invited gets in at once. */
async function memberStandingOf(
  parts: GateParts,
  principal: Principal,
  workspaceId: WorkspaceId,
): Promise<MemberAccess> {
  const { member, ...standing } = await standingOf(parts, principal, workspaceId);
  if (member === null) throw new AppError('workspace.forbidden');
  return { ...standing, role: member.role, hidden: member.hidden };
}

/** Sets the flag on the cached object first, so that concurrent requests do not write as well. */
async function noteUse({ db }: GateParts, { sessionId }: Principal, standing: { isUseNoted: boolean }): Promise<void> {
  standing.isUseNoted = true;
  await db.tx((tx) => noteSessionUse(tx, sessionId));
}

/**
 * The path's workspace, or the fault in how the request names it. The caller reports the fault only for a valid session
 * or key. With a cookie the path alone suffices: browsers send no such header for images, downloads and event sources.
 */
function workspaceOf(request: FastifyRequest, shown: Shown): WorkspaceId | AppError {
  const { workspaceId } = request.params as { workspaceId: string };
  const isHeaderOptional = shown.kind === 'session' && shown.isByCookie;
  const { 'x-workspace-id': header = isHeaderOptional ? workspaceId : undefined } = request.headers;
  if (typeof header !== 'string' || header.trim() === '') return new AppError('workspace.header_missing');
  if (header.trim().toLowerCase() !== workspaceId.toLowerCase()) return new AppError('workspace.header_mismatch');
  return (
    readId(workspaceId) ?? invalidRequest({ path: 'path.workspaceId', key: 'wrong_format', params: { format: 'uuid' } })
  );
}
