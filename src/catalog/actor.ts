import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Role } from './permissions.ts';

declare const minted: unique symbol;

/** Who acts, where, and as what. Minted by the gate alone; everything below the door trusts it. */
export type Actor = {
  readonly userId: UserId;
  readonly workspaceId: WorkspaceId;
  readonly role: Role;
  /** The API key that acts for the user; null: they are signed in. */
  readonly keyId: string | null;
  readonly [minted]: true;
};

/** A signed-in person outside any workspace, as `GET /v1/me` needs it. */
export type Principal = {
  readonly userId: UserId;
  readonly sessionId: string;
  /** When the access token that they showed runs out. */
  readonly expiresAtMs: number;
};
