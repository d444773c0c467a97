import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace, type Ticket } from '../api/client.ts';
import { faultWords } from '../ui/fault-words.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { ticketKey } from './rows.ts';

type Followed = Pick<Ticket, 'id' | 'ticketNumber'>;

/** The ids of the members who follow a ticket. */
export function followersQuery(workspaceId: string, { id, ticketNumber }: Followed) {
  return queryOptions({
    queryKey: [...ticketKey(workspaceId, ticketNumber), 'followers'],
    queryFn: async () => {
      const followers = await inWorkspace(workspaceId).GET('/tickets/{ticketId}/followers', {
        path: { ticketId: id },
        query: { limit: 100 },
      });
      return followers.map(({ userId }) => userId);
    },
  });
}

/** Follows a ticket, or stops following it. */
export async function toggleFollow(workspaceId: string, ticket: Followed, userId: string): Promise<void> {
  const query = followersQuery(workspaceId, ticket);
  try {
    const before = await queryClient.ensureQueryData(query);
    const isFollowing = before.includes(userId);
    queryClient.setQueryData(query.queryKey, isFollowing ? before.filter((id) => id !== userId) : [...before, userId]);
    showToast(words(isFollowing ? 'follow.off' : 'follow.on', { number: ticket.ticketNumber }));
    const here = inWorkspace(workspaceId);
    const path = { ticketId: ticket.id };
    if (isFollowing) await here.DELETE('/tickets/{ticketId}/followers/{userId}', { path: { ...path, userId } });
    else await here.POST('/tickets/{ticketId}/followers', { path, body: {} });
  } catch (error) {
    showToast(faultWords(error), { isBad: true });
  }
  await queryClient.invalidateQueries({ queryKey: query.queryKey });
}
