import type { Queryable } from '../../ground/database/db.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { findWorkspacesNamed } from './queries.ts';

/** Finds a workspace by id, or by name regardless of case. Throws a `StartError` when none or several have the name. */
export async function findWorkspace(db: Queryable, named: string): Promise<WorkspaceId> {
  const ids = await findWorkspacesNamed(db, named);
  const [first] = ids;
  if (first === undefined) throw new StartError(`There is no workspace ${named}: name one by its id or its name.`);
  if (ids.length === 1) return first;
  throw new StartError(`Several workspaces are called ${named}: name one by its id (${ids.join(', ')}).`);
}
