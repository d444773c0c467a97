import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import type { SubjectUser, UsedSubject } from './set-uses.ts';

type Use = { kind: SubjectUser['kind'] | 'api_key'; name: string; position: number };

/**
 * Throws 409 `in_use` while a rule or an automatic reply names the subject. Else none does until the commit. Comes
 * before the lock of the subject, because whoever saves a rule locks the workspace first.
 * @param evenByKeys an API key that sees only the tickets of the team counts, too
 */
export async function refuseInUse(
  tx: Tx,
  workspaceId: WorkspaceId,
  { kind, id }: UsedSubject,
  { evenByKeys = false }: { evenByKeys?: boolean } = {},
): Promise<void> {
  const [, uses] = await together([
    lockWorkspace(tx, workspaceId),
    tx.rows<Use>(sql`
      select 'rule' as kind, r.name, r.position
      from uses u
      join rules r on r.workspace_id = ${workspaceId} and r.id = u.user_id
      where u.workspace_id = ${workspaceId} and u.subject_kind = ${kind} and u.subject_id = ${id}
        and u.user_kind = 'rule'
      union all
      select 'auto_reply', a.name, 0
      from uses u
      join auto_replies a on a.workspace_id = ${workspaceId} and a.id = u.user_id
      where u.workspace_id = ${workspaceId} and u.subject_kind = ${kind} and u.subject_id = ${id}
        and u.user_kind = 'auto_reply'
      union all
      select 'api_key', k.name, 0
      from api_keys k
      where k.workspace_id = ${workspaceId} and ${evenByKeys} and ${id} = any(k.team_ids)
      order by position, name`),
  ]);
  if (uses.length === 0) return;
  const namesOf = (user: Use['kind']) => uses.flatMap((use) => (use.kind === user ? [use.name] : []));
  const apiKeys = namesOf('api_key');
  throw new AppError('in_use', {
    ...{ rules: namesOf('rule'), autoReplies: namesOf('auto_reply') },
    ...(apiKeys.length > 0 && { apiKeys }),
  });
}
