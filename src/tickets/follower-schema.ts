import { Type } from 'typebox';
import { nullable, timestamp, uuid } from '../http/schema.ts';

export const followerParams = Type.Object({ workspaceId: uuid, ticketId: uuid, userId: uuid });

export const followerSchema = Type.Object({
  userId: uuid,
  email: Type.String(),
  name: nullable(Type.String()),
  createdAt: timestamp,
});
export type Follower = Type.Static<typeof followerSchema>;

export const addFollowerBody = Type.Object({
  userId: Type.Optional(Type.String({ format: 'uuid', description: 'Default: yourself.' })),
});
