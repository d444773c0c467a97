import { keysMay, lesserRole, type Permission, type Role, roleMay } from '../../ground/catalog/permissions.ts';
import type { Db } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, isNarrowKey } from '../../ground/database/sight.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { hashOfToken } from '../accounts/secret-token.ts';
import { keyUseSeconds, noteKeyUse } from '../workspaces/keys/note-key-use.ts';
import type { AccessCache } from './access-cache.ts';

export type AdmitKey = {
  secret: string;
  /** The path's workspace, or the fault in how the request names it. */
  asked: WorkspaceId | AppError;
  permission: Permission;
};
type Seeing = { userId: UserId; role: Role; hidden: Hidden; isNarrow: boolean };
export type AdmittedKey = Seeing & { workspaceId: WorkspaceId; keyId: string };

type FoundKey = Seeing & { id: string; makerRole: Role; isUseNoted: boolean };

/**
 * Finds the user and role that an API key acts with. A key never has more rights than its maker has now, and sees what
 * the maker sees, or only the tickets of its teams. Errors come in the same order as for a session.
 */
export async function admitKey(
  { db, clock, access }: { db: Db; clock: Clock; access: AccessCache },
  { secret, asked, permission }: AdmitKey,
): Promise<AdmittedKey> {
  const secretHash = hashOfToken(secret);
  const workspaceId = asked instanceof AppError ? null : asked;
  const key = await access.know(`${secretHash.toString('base64')} ${workspaceId}`, () =>
    db.maybe<FoundKey>(sql`
      select k.id, k.user_id as "userId", k.role, m.role as "makerRole",
        ${hiddenFrom(workspaceId)}, ${isNarrowKey},
        coalesce(k.last_used_at > ${clock.now()}::timestamptz - make_interval(secs => ${keyUseSeconds}), false)
          as "isUseNoted"
      from api_keys k
      join members m on m.workspace_id = ${workspaceId}::uuid and m.user_id = k.user_id and m.removed_at is null
      where k.workspace_id = ${workspaceId}::uuid and k.secret_hash = ${secretHash}`),
  );
  if (key === undefined || workspaceId === null) {
    if (!(await isKeyOfAny(db, secretHash))) throw new AppError('auth.token_invalid');
    throw asked instanceof AppError ? asked : new AppError('workspace.forbidden');
  }
  if (!keysMay(permission)) throw new AppError('auth.session_required');
  const role = lesserRole(key.role, key.makerRole);
  if (!roleMay(role, permission)) throw new AppError('auth.role_insufficient');
  if (!key.isUseNoted) {
    key.isUseNoted = true;
    await db.tx((tx) => noteKeyUse(tx, { workspaceId, keyId: key.id }));
  }
  const { userId, hidden, isNarrow, id: keyId } = key;
  return { userId, workspaceId, role, hidden, isNarrow, keyId };
}

/** Whether a secret belongs to an API key of any workspace. */
export async function isKeyOfAny(db: Db, secretHash: Buffer): Promise<boolean> {
  return (await db.maybe(sql`select 1 from api_keys where secret_hash = ${secretHash}`)) !== undefined;
}
