import type { WorkspaceId } from '../lib/ids.ts';

declare const sight: unique symbol;

/**
 * Names what its holder does not see. It is equal for all who see the same, so streams group their readers by it, and
 * signed addresses carry it. `database/sight.ts` alone makes and reads it.
 */
export type Sight = string & { readonly [sight]: true };

/** The sight of all who see everything. */
export const everything = '' as Sight;

/**
 * In which workspace somebody reads, and what they see there. Every read and lock of tenant data takes one. An `Actor`
 * is a scope.
 */
export type Scope = { readonly workspaceId: WorkspaceId; readonly sight: Sight };

/**
 * The scope of work that no member sees the results of, or whose member was checked before: mail, jobs, statements on
 * tickets that the caller has locked.
 */
export function machineScope(workspaceId: WorkspaceId): Scope {
  return { workspaceId, sight: everything };
}
