import type { TicketWithMessages } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import type { SavedReply } from '../replies/queries.ts';
import { canSend } from '../tickets/mailbox-state.ts';
import { words } from '../words/words.ts';
import type { Recipients } from './recipients/recipients-of.ts';

type Mailbox = Pick<components['schemas']['Mailbox'], 'id' | 'status' | 'sendStatus' | 'whenAnswered'>;
export type WhenAnswered = NonNullable<Mailbox['whenAnswered']>;

type Sending = {
  /** The mailbox of the ticket, or the one that the actions of a saved reply choose. */
  mailboxId: string | null;
  mailboxes: readonly Mailbox[];
  ofWorkspace: WhenAnswered | null;
  /** Whether mail leaves without a mailbox. */
  hasSmtp: boolean;
};

/** The rules of the mailboxes that may send an answer: several where the service will choose one. */
export function rulesOf({ mailboxId, mailboxes, ofWorkspace, hasSmtp }: Sending): (WhenAnswered | null)[] {
  const own = mailboxes.filter(({ id }) => id === mailboxId);
  const working = hasSmtp ? [] : mailboxes.filter(canSend);
  const active = working.filter(({ status }) => status === 'active');
  const senders = [own, active, working].find(({ length }) => length > 0) ?? [];
  return senders.length === 0 ? [ofWorkspace] : senders.map(({ whenAnswered }) => whenAnswered ?? ofWorkspace);
}

type Answer = {
  ticket: Pick<TicketWithMessages, 'requester' | 'status' | 'assigneeId'>;
  recipients: Recipients;
  userId: string;
  /** What the actions of a saved reply change, which come first. */
  actions?: Pick<SavedReply['actions'], 'assignee' | 'status'>;
};

/** Says what sending an answer does with its ticket; undefined if that is nothing. */
export function effectOf(
  rule: WhenAnswered | null,
  { ticket, recipients, userId, actions = {} }: Answer,
): string | undefined {
  const asked = ticket.requester?.email.toLowerCase();
  const goesToThem = Object.values(recipients)
    .flat()
    .some((address) => address.toLowerCase() === asked);
  if (rule === null || !goesToThem) return undefined;
  const { assign, status } = rule;
  const { assigneeId } = ticket;
  const takes =
    actions.assignee === undefined &&
    ((assign === 'always' && assigneeId !== userId) || (assign === 'unassigned' && assigneeId === null));
  if (status === 'keep' || actions.status !== undefined || ticket.status === 'closed' || ticket.status === status)
    return takes ? words('compose.takes') : undefined;
  return words(takes ? 'compose.takesAndLeaves' : 'compose.leaves', { status: words(`status.${status}`) });
}
