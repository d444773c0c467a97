import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, paramsIn } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';
import { membersQuery } from '../tickets/queries.ts';

export type Member = components['schemas']['Member'];
export type Role = Member['role'];

export const roles = ['owner', 'admin', 'agent', 'viewer'] as const satisfies readonly Role[];

/** Every member; for owners and admins with their last use and second factor. */
export function allMembersQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'all-members'],
    queryFn: () =>
      allPages((query) =>
        api.GET('/v1/workspaces/{workspaceId}/members', { params: { ...paramsIn(workspaceId), query } }),
      ),
  });
}

export async function refreshMembers(workspaceId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries(allMembersQuery(workspaceId)),
    queryClient.invalidateQueries(membersQuery(workspaceId)),
  ]);
}

export function nameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email;
}

export function isLastOwner({ userId, role }: Member, members: readonly Member[]): boolean {
  return role === 'owner' && members.every((other) => other.userId === userId || other.role !== 'owner');
}
