import type { Actor } from '../../ground/catalog/actor.ts';
import type { Role } from '../../ground/catalog/permissions.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { isUuid, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { languageColumn } from '../accounts/queries.ts';
import { hintOf } from './keys/api-key.ts';
import type { ApiKey, Invite, Member, Workspace, WorkspaceWithSettings } from './schema.ts';

/** The limit for one user. Each change of an account writes an audit entry to every workspace of its user. */
export const workspacesMax = 100;

/** The workspaces of a user, oldest membership first. */
export function listWorkspaces(db: Queryable, userId: UserId): Promise<Workspace[]> {
  return db.rows<Workspace>(sql`
    select w.id, w.name, m.role
    from members m
    join workspaces w on w.id = m.workspace_id
    where m.user_id = ${userId} and m.removed_at is null
    order by m.created_at, w.id
    limit ${workspacesMax}`);
}

const namesakesMax = 5;

/**
 * Finds the workspace with this id, or else up to 5 with this name in any letter case. Only for the operator, who may
 * see all workspaces.
 */
export async function findWorkspacesNamed(db: Queryable, named: string): Promise<WorkspaceId[]> {
  const found = await db.rows<{ id: WorkspaceId }>(sql`
    select w.id
    from workspaces w
    where w.id = ${isUuid(named) ? named : null}::uuid or lower(w.name) = lower(${named})
    order by w.id = ${isUuid(named) ? named : null}::uuid desc nulls last, w.id
    limit ${namesakesMax}`);
  const [first] = found;
  if (first?.id === named.toLowerCase()) return [first.id];
  return found.map(({ id }) => id);
}

export type Membership = { userId: UserId; workspaceId: WorkspaceId };

/** @returns undefined when the workspace does not exist or the user is not a member */
export function findWorkspaceOf(db: Queryable, membership: Membership): Promise<Workspace | undefined> {
  return db.maybe<WorkspaceWithSettings>(workspaceOf(membership));
}

export function getWorkspaceOf(db: Queryable, membership: Membership): Promise<WorkspaceWithSettings> {
  return db.one<WorkspaceWithSettings>(workspaceOf(membership));
}

function workspaceOf({ userId, workspaceId }: Membership): Sql {
  return sql`
    select w.id, w.name, m.role, w.require_second_factor as "requireSecondFactor", w.tag_colours as "tagColours",
      w.answered_at is not null as "hasAnswered", w.own_addresses as "ownAddresses",
      w.when_answered as "whenAnswered"
    from members m
    join workspaces w on w.id = ${workspaceId}
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.removed_at is null`;
}

export async function isMember(db: Queryable, { userId, workspaceId }: Membership): Promise<boolean> {
  const member = await db.maybe(sql`
    select from members where workspace_id = ${workspaceId} and user_id = ${userId} and removed_at is null`);
  return member !== undefined;
}

export type Paging = { limit?: number; cursor?: string };

const limitDefault = 100;

/** Members, oldest account first. Throws 400 for an invalid cursor. */
export async function listMembers(db: Queryable, { workspaceId }: Actor, paging: Paging): Promise<Page<Member>> {
  const { limit = limitDefault, cursor } = paging;
  const behind = cursor === undefined ? emptySql : sql`and m.user_id > ${readIdCursor(cursor)}`;
  const rows = await db.rows<Member>(sql`
    select ${memberColumns}
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null ${behind}
    order by m.user_id
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ userId }) => userId);
}

/** How members sign in, for people who may manage them. */
export async function withSignIns(db: Queryable, members: readonly Member[]): Promise<Member[]> {
  const rows = await db.rows<{ userId: UserId; lastSeenAt: string | null; hasSecondFactor: boolean }>(sql`
    select u.id as "userId",
      (select max(s.last_used_at) from sessions s where s.user_id = u.id) as "lastSeenAt",
      exists (
        select from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as "hasSecondFactor"
    from users u
    where u.id = any(${members.map(({ userId }) => userId)}::uuid[])`);
  const found = new Map(rows.map((row) => [row.userId, row]));
  return members.map((member) => ({ ...member, ...found.get(member.userId) }));
}

/** A member's columns under their wire names. The statement must name `members` as `m` and `users` as `u`. */
const memberColumns: Sql = sql`m.user_id as "userId", u.email, u.name, m.role, m.access,
  m.created_at as "createdAt"`;

export function getMember(db: Queryable, { userId, workspaceId }: Membership): Promise<Member> {
  return db.one<Member>(sql`
    select ${memberColumns}
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId}`);
}

/** How long an invitation is valid. */
export const invitationDays = 7;

/** An invitation's columns under their wire names. The statement must name `invites` as `i`. */
export const inviteColumns: Sql = sql`
  i.id, i.email, i.role, i.access, i.invited_by as "invitedBy", i.created_at as "createdAt",
  i.expires_at as "expiresAt"`;

/** Pending invitations, newest first. Throws 400 for an invalid cursor. */
export async function listInvites(
  db: Queryable,
  { workspaceId }: Actor,
  { limit = limitDefault, cursor, now }: Paging & { now: Date },
): Promise<Page<Invite>> {
  const behind = cursor === undefined ? emptySql : sql`and i.id < ${readIdCursor(cursor)}`;
  const rows = await db.rows<Invite>(sql`
    select ${inviteColumns}
    from invites i
    where i.workspace_id = ${workspaceId}
      and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now} ${behind}
    order by i.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}

/** API keys, newest first, with only the endings of their secrets. Throws 400 for an invalid cursor. */
export async function listKeys(db: Queryable, { workspaceId }: Actor, paging: Paging): Promise<Page<ApiKey>> {
  const { limit = limitDefault, cursor } = paging;
  const behind = cursor === undefined ? emptySql : sql`and k.id < ${readIdCursor(cursor)}`;
  const rows = await db.rows<KeyRow>(sql`
    select ${keyColumns}
    from api_keys k
    where k.workspace_id = ${workspaceId} ${behind}
    order by k.id desc
    limit ${limit + 1}`);
  return pageOf(rows.map(keyOf), limit, ({ id }) => id);
}

/** Throws 404. */
export async function getKey(db: Queryable, { workspaceId }: Actor, keyId: string): Promise<ApiKey> {
  const row = await db.maybe<KeyRow>(sql`
    select ${keyColumns} from api_keys k where k.workspace_id = ${workspaceId} and k.id = ${keyId}`);
  if (row === undefined) throw new AppError('key.not_found');
  return keyOf(row);
}

type KeyRow = Omit<ApiKey, 'hint'> & { ending: string };

const keyColumns = sql`k.id, k.name, k.role, k.team_ids as "teamIds", k.secret_ending as ending,
  k.user_id as "createdBy", k.created_at as "createdAt", k.last_used_at as "lastUsedAt"`;

function keyOf({ ending, ...key }: KeyRow): ApiKey {
  return { ...key, hint: hintOf(ending) };
}

export type PendingInvite = {
  workspaceId: WorkspaceId;
  id: string;
  email: string;
  emailKey: string;
  role: Role;
  expiresAt: string;
  workspaceName: string;
  inviterName: string | null;
  inviterEmail: string;
  /** The inviter's. */
  language: Language;
};

/** @returns undefined when the invitation is accepted, revoked, expired or unknown */
export function findPendingInvite(
  db: Queryable,
  { workspaceId, inviteId, now }: { workspaceId: WorkspaceId; inviteId: string; now: Date },
): Promise<PendingInvite | undefined> {
  return db.maybe<PendingInvite>(sql`
    select i.workspace_id as "workspaceId", i.id, i.email, i.email_key as "emailKey", i.role,
      i.expires_at as "expiresAt", w.name as "workspaceName", u.name as "inviterName", u.email as "inviterEmail",
      ${languageColumn} as language
    from invites i
    join workspaces w on w.id = ${workspaceId}
    join users u on u.id = i.invited_by
    where i.workspace_id = ${workspaceId} and i.id = ${inviteId}
      and i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}`);
}
