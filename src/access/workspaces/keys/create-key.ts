import type { Actor } from '../../../ground/catalog/actor.ts';
import { lesserRole, roleMay } from '../../../ground/catalog/permissions.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { audit } from '../../audit/audit.ts';
import { standingsOf } from '../member-standing.ts';
import type { CreatedKey, CreateKey } from '../schema.ts';
import { newApiKeySecret } from './api-key.ts';
import { knownTeams } from './update-key.ts';

const keysMax = 100;

/**
 * Creates an API key that acts as its maker. Returns the secret this once. Throws 400 for an unknown team, 403 for a
 * role above the maker's own, and 409 `key.too_many`.
 */
export async function createKey(tx: Tx, actor: Actor, { name, role, ...narrow }: CreateKey): Promise<CreatedKey> {
  const { workspaceId, userId } = actor;
  const [{ callerRole }, { count }] = await together([
    standingsOf(tx, actor, userId),
    tx.one<{ count: number }>(sql`select count(*) from api_keys where workspace_id = ${workspaceId}`),
  ]);
  if (!roleMay(callerRole, 'key.manage') || lesserRole(role, callerRole) !== role)
    throw new AppError('auth.role_insufficient');
  if (count >= keysMax) throw new AppError('key.too_many', { max: keysMax });
  const teamIds = await knownTeams(tx, workspaceId, narrow.teamIds ?? null);
  const id = tx.newId();
  const { secret, secretHash, ending } = newApiKeySecret();
  await together([
    tx.run(sql`
      insert into api_keys (workspace_id, id, user_id, name, role, team_ids, secret_hash, secret_ending, created_at)
      values (${workspaceId}, ${id}, ${userId}, ${name}, ${role}, ${teamIds}::uuid[], ${secretHash}, ${ending},
        ${tx.now})`),
    audit(tx, actor, { type: 'key.created', subjectId: id, data: { name, role, ...(teamIds && { teamIds }) } }),
  ]);
  return { id, name, role, teamIds, secret, createdAt: tx.now.toISOString() };
}
