import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../../tickets/queries.ts';
import { type DraftContent, type Start, startByDefault } from '../draft/draft-content.ts';

/** What the person chose. A member who has left since is no assignee any more. */
export function useStart(workspaceId: string, { startsAs }: DraftContent): Start {
  const start = startsAs ?? startByDefault;
  const members = useQuery(membersQuery(workspaceId)).data;
  const hasLeft = members?.every(({ userId }) => userId !== start.assigneeId);
  return hasLeft ? { ...start, assigneeId: null } : start;
}
