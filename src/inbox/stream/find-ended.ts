import { lesserRole, type Role, roleMay } from '../../ground/catalog/permissions.ts';
import { type Queryable, together } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, isNarrowKey, sightOf } from '../../ground/database/sight.ts';
import { quick, sql } from '../../ground/database/sql.ts';
import type { ErrorKey } from '../../ground/lib/error-catalog.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { StreamHolder } from './subscriber.ts';

type Standing = {
  /** Open sessions, by session and user: whether a code of the second factor was given. */
  sessions: ReadonlyMap<string, boolean>;
  /** API keys, by workspace and key. */
  keys: ReadonlyMap<string, Key>;
  /** Members, by workspace and user. */
  members: ReadonlyMap<string, Member>;
};

type Key = { keyId: string; role: Role; isNarrow: boolean };
type Member = { role: Role; userId: UserId; hidden: Hidden; requireSecondFactor: boolean };

/**
 * Finds streams whose holder may no longer read tickets, and the error that the gate would answer now; null for a
 * holder who sees other tickets than when the stream began. Checks all streams of a process, of all workspaces, in one
 * round trip.
 */
export async function findEnded<Item extends { holder: StreamHolder }>(
  db: Queryable,
  open: readonly Item[],
): Promise<{ item: Item; key: ErrorKey | null }[]> {
  const standing = await readStanding(
    db,
    open.map(({ holder }) => holder),
  );
  return open.flatMap((item) => {
    const key = faultOf(item.holder, standing);
    return key === undefined ? [] : [{ item, key }];
  });
}

/** Several statements, because Citus keeps sessions on the coordinator. */
async function readStanding(db: Queryable, holders: readonly StreamHolder[]): Promise<Standing> {
  const ofSessions = holders.filter(({ keyId }) => keyId === null);
  const ofKeys = holders.filter(({ keyId }) => keyId !== null);
  const [sessions, keys, members] = await together([
    db.rows<{ sessionId: string; userId: UserId; hasSecondFactor: boolean }>(
      quick(sql`
      select s.id as "sessionId", s.user_id as "userId", s.second_factor_at is not null as "hasSecondFactor"
      from sessions s
      where s.id = any(${ofSessions.map(({ sessionId }) => sessionId)}::uuid[]) and s.ended_at is null`),
    ),
    ofKeys.length === 0
      ? []
      : db.rows<Key & { workspaceId: WorkspaceId }>(
          quick(sql`
          select k.workspace_id as "workspaceId", k.id as "keyId", k.role, ${isNarrowKey}
          from unnest(${ofKeys.map(({ workspaceId }) => workspaceId)}::uuid[],
            ${ofKeys.map(({ keyId }) => keyId)}::uuid[]) h (workspace_id, key_id)
          join api_keys k on k.workspace_id = h.workspace_id and k.id = h.key_id`),
        ),
    db.rows<Member & { workspaceId: WorkspaceId }>(
      quick(sql`
      select m.workspace_id as "workspaceId", m.user_id as "userId", m.role,
        ${hiddenFrom(sql`m.workspace_id`)}, w.require_second_factor as "requireSecondFactor"
      from unnest(${holders.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${holders.map(({ userId }) => userId)}::uuid[]) h (workspace_id, user_id)
      join members m on m.workspace_id = h.workspace_id and m.user_id = h.user_id and m.removed_at is null
      join workspaces w on w.id = m.workspace_id`),
    ),
  ]);
  return {
    sessions: new Map(sessions.map((row) => [`${row.sessionId} ${row.userId}`, row.hasSecondFactor])),
    keys: new Map(keys.map((row) => [`${row.workspaceId} ${row.keyId}`, row])),
    members: new Map(members.map((row) => [`${row.workspaceId} ${row.userId}`, row])),
  };
}

/** Checks in the same order as the gate. */
function faultOf(holder: StreamHolder, { sessions, keys, members }: Standing): ErrorKey | null | undefined {
  const { workspaceId, userId, sessionId, keyId } = holder;
  const hasSecondFactor = sessions.get(`${sessionId} ${userId}`);
  const key = keys.get(`${workspaceId} ${keyId}`);
  if ((keyId === null ? hasSecondFactor : key) === undefined) return 'auth.token_invalid';
  const member = members.get(`${workspaceId} ${userId}`);
  if (member === undefined) return 'workspace.forbidden';
  if (keyId === null && member.requireSecondFactor && hasSecondFactor === false)
    return 'workspace.second_factor_required';
  const role = key === undefined ? member.role : lesserRole(key.role, member.role);
  if (!roleMay(role, 'ticket.read')) return 'auth.role_insufficient';
  return sightOf({ ...member, ...key }) === holder.sight ? undefined : null;
}
