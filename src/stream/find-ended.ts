import { lesserRole, type Role, roleMay } from '../catalog/permissions.ts';
import type { Queryable } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { ErrorKey } from '../lib/errors.ts';
import type { StreamHolder } from './subscriber.ts';

type HolderAccess = {
  isSession: boolean;
  isKey: boolean;
  keyRole: Role | null;
  role: Role | null;
  lacksSecondFactor: boolean | null;
};

/**
 * Finds streams whose holder may no longer read tickets, and the error that the gate would answer now. Checks all
 * streams of a process, of all workspaces, in one statement.
 */
export async function findEnded<Item extends { holder: StreamHolder }>(
  db: Queryable,
  open: readonly Item[],
): Promise<{ item: Item; key: ErrorKey }[]> {
  const holders = open.map(({ holder }) => holder);
  const standings = await db.rows<HolderAccess>(sql`
    select s.id is not null as "isSession", k.id is not null as "isKey", k.role as "keyRole", m.role,
      w.require_second_factor and s.second_factor_at is null as "lacksSecondFactor"
    from unnest(${holders.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${holders.map(({ userId }) => userId)}::uuid[],
      ${holders.map(({ sessionId }) => sessionId)}::uuid[], ${holders.map(({ keyId }) => keyId)}::uuid[])
      with ordinality h (workspace_id, user_id, session_id, key_id, nth)
    left join sessions s on s.id = h.session_id and s.user_id = h.user_id and s.ended_at is null
    left join api_keys k on k.workspace_id = h.workspace_id and k.id = h.key_id
    left join members m on m.workspace_id = h.workspace_id and m.user_id = h.user_id and m.removed_at is null
    left join workspaces w on w.id = h.workspace_id
    order by h.nth`);
  return open.flatMap((item, at) => {
    const key = faultOf(item.holder, standings[at]);
    return key === undefined ? [] : [{ item, key }];
  });
}

/** Checks in the same order as the gate. */
function faultOf({ keyId }: StreamHolder, standing: HolderAccess | undefined): ErrorKey | undefined {
  if (standing === undefined || !(keyId === null ? standing.isSession : standing.isKey)) return 'auth.token_invalid';
  if (standing.role === null) return 'workspace.forbidden';
  if (keyId === null && standing.lacksSecondFactor === true) return 'workspace.second_factor_required';
  const role = standing.keyRole === null ? standing.role : lesserRole(standing.keyRole, standing.role);
  return roleMay(role, 'ticket.read') ? undefined : 'auth.role_insufficient';
}
