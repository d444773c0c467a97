import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';

/** What is not deleted while something names it. A member may leave all the same. */
export type UsedSubject = { kind: 'team' | 'mailbox' | 'saved_reply' | 'calendar' | 'webhook'; id: string };

/** What may name such subjects. */
export type SubjectUser = { kind: 'rule' | 'auto_reply'; id: string };

/**
 * Says what a rule or an automatic reply names from now on: nothing, when it is deleted. The caller has locked the
 * workspace before it looked whether the subjects exist, so that none is deleted meanwhile.
 */
export async function setUses(
  tx: Tx,
  workspaceId: WorkspaceId,
  { kind, id }: SubjectUser,
  subjects: readonly UsedSubject[],
): Promise<void> {
  const [kinds, ids] = [subjects.map((subject) => subject.kind), subjects.map((subject) => subject.id)];
  await together([
    tx.run(sql`
      delete from uses where workspace_id = ${workspaceId} and user_kind = ${kind} and user_id = ${id}`),
    subjects.length > 0 &&
      tx.run(sql`
        insert into uses (workspace_id, subject_kind, subject_id, user_kind, user_id)
        select distinct ${workspaceId}::uuid, s.kind, s.id, ${kind}, ${id}::uuid
        from unnest(${kinds}::text[], ${ids}::uuid[]) s (kind, id)`),
  ]);
}
