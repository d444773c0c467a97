import { Type } from 'typebox';
import { roles } from '../catalog/permissions.ts';
import { emailAddress, nullable, oneOf, timestamp, trimmedText, uuid } from '../platform/schema.ts';

const role = oneOf(roles);

/** A workspace as one of its members sees it. */
export const workspaceSchema = Type.Object({ id: uuid, name: Type.String(), role });
export type Workspace = Type.Static<typeof workspaceSchema>;

const workspaceName = trimmedText(1, 100);
export const createWorkspaceBody = Type.Object({ name: workspaceName });

export const memberSchema = Type.Object({
  userId: uuid,
  email: Type.String(),
  name: nullable(Type.String()),
  role,
  createdAt: timestamp,
});
export type Member = Type.Static<typeof memberSchema>;

export const memberParams = Type.Object({ workspaceId: uuid, userId: uuid });
export const changeRoleBody = Type.Object({ role });

export const inviteSchema = Type.Object({
  id: uuid,
  email: Type.String(),
  role,
  invitedBy: uuid,
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Invite = Type.Static<typeof inviteSchema>;

export const inviteParams = Type.Object({ workspaceId: uuid, inviteId: uuid });
export const inviteMemberBody = Type.Object({ email: emailAddress, role });

/** Pages of members and invites; the next one's cursor is in the `Link` header. */
export const pageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
