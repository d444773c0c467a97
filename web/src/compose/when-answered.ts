import type { TicketWithMessages } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { words } from '../words/words.ts';
import type { Recipients } from './recipients/recipients-of.ts';

export type WhenAnswered = NonNullable<components['schemas']['Mailbox']['whenAnswered']>;

type Answer = {
  ticket: Pick<TicketWithMessages, 'requester' | 'status' | 'assigneeId'>;
  recipients: Recipients;
  userId: string;
};

/** Says what sending an answer does with its ticket; undefined if that is nothing. */
export function effectOf(rule: WhenAnswered | null, { ticket, recipients, userId }: Answer): string | undefined {
  const asked = ticket.requester?.email.toLowerCase();
  const goesToThem = Object.values(recipients)
    .flat()
    .some((address) => address.toLowerCase() === asked);
  if (rule === null || !goesToThem) return undefined;
  const { assign, status } = rule;
  const { assigneeId } = ticket;
  const takes = (assign === 'always' && assigneeId !== userId) || (assign === 'unassigned' && assigneeId === null);
  if (status === 'keep' || ticket.status === 'closed' || ticket.status === status)
    return takes ? words('compose.takes') : undefined;
  return words(takes ? 'compose.takesAndLeaves' : 'compose.leaves', { status: words(`status.${status}`) });
}
