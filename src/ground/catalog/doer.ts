import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Actor } from './actor.ts';
import { machineScope, type Scope } from './scope.ts';

/** Work that no person does, such as the end of a snooze. */
export type Automation = Scope & { readonly userId: null };

/** Who changes something: a member, or an automation. */
export type Doer = Actor | Automation;

/** By whom something happened: a doer, a member whose request is over, or a customer, whose mail came. */
export type Performer = {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId | null;
  readonly isCustomer?: boolean;
};

export function automation(workspaceId: WorkspaceId): Automation {
  return { ...machineScope(workspaceId), userId: null };
}
