import { Type } from 'typebox';
import { ids, nullable, timestamp, uuid } from '../../ground/http/schema.ts';
import type { UserId } from '../../ground/lib/ids.ts';

export const followerParams = Type.Object({ workspaceId: ids.workspace, ticketId: ids.ticket, userId: ids.user });

export const followerSchema = Type.Object({
  userId: ids.user,
  email: Type.String(),
  name: nullable(Type.String()),
  createdAt: timestamp,
});
export type Follower = Type.Static<typeof followerSchema>;

export const addFollowerBody = Type.Object({
  userId: Type.Optional(Type.Unsafe<UserId>({ ...uuid, description: 'Default: yourself.' })),
});
