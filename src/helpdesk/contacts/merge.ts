import type { Scope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { ContactId } from '../../ground/lib/ids.ts';
import { getContact } from './queries.ts';
import { awaitContactsTurn, refuseErased, renameContact } from './rename.ts';
import type { ListedContact } from './schema.ts';

/**
 * Merges one contact into another, so that its addresses lead to the target. The caller must move the rows that refer
 * to the source. A contact that is already merged stands for its survivor. Throws 409 for the stub of an erased person.
 * @returns the target, and whether it took the source's name, which it does only without a name of its own
 */
export async function mergeContactRows(
  tx: Tx,
  scope: Scope,
  { sourceId, targetId }: { sourceId: ContactId; targetId: ContactId },
): Promise<{ target: ListedContact; isRenamed: boolean }> {
  const { workspaceId } = scope;
  await awaitContactsTurn(tx, workspaceId);
  const source = await getContact(tx, scope, sourceId);
  const target = await getContact(tx, scope, targetId);
  refuseErased(source);
  refuseErased(target);
  if (source.id === target.id) throw new AppError('contact.merge_into_itself');
  await tx.run(sql`
    update contacts set merged_into_id = ${target.id}
    where workspace_id = ${workspaceId} and (id = ${source.id} or merged_into_id = ${source.id})`);
  const isRenamed = target.name === null && source.name !== null;
  if (isRenamed) await renameContact(tx, workspaceId, { ...target, name: source.name });
  return { target: await getContact(tx, scope, target.id), isRenamed };
}
