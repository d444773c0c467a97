import type { UserId } from '../lib/ids.ts';
import type { Cause } from './cause.ts';
import type { Role } from './permissions.ts';
import type { Scope } from './scope.ts';

declare const minted: unique symbol;

/**
 * The member who acts, in which workspace and role. Only the gate creates an Actor, and `requesterOf` for work that
 * goes on after its request. All other code trusts it.
 */
export type Actor = Scope & {
  readonly userId: UserId;
  readonly role: Role;
  /** The API key that acts for the user; null for a signed-in user. */
  readonly keyId: string | null;
  /** What led to the member's changes, unless the member makes them by hand. */
  readonly cause?: Cause;
  readonly [minted]: true;
};

/** A signed-in person outside any workspace, as for `GET /v1/me`. */
export type Principal = {
  readonly userId: UserId;
  readonly sessionId: string;
  /** When the request's access token expires. */
  readonly expiresAtMs: number;
};
