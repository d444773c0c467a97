import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Actor } from './actor.ts';
import type { Cause } from './cause.ts';
import { machineScope, type Scope } from './scope.ts';

/** Work that no person does, such as the end of a snooze. It always has a cause. */
export type Automation = Scope & { readonly userId: null; readonly cause: Cause };

/** Who changes something: a member, or an automation. */
export type Doer = Actor | Automation;

/** By whom something happened: a doer, a member whose request is over, or a customer, whose mail came. */
export type Performer = {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId | null;
  readonly isCustomer?: boolean;
  readonly cause?: Cause;
};

export function automation(workspaceId: WorkspaceId, cause: Cause): Automation {
  return { ...machineScope(workspaceId), userId: null, cause };
}

/** The same performer, whose facts have a cause. The first cause stays: a bulk change may run saved replies. */
export function because<By extends Performer>(by: By, cause: Cause): By {
  return by.cause === undefined ? { ...by, cause } : by;
}
