import { useQuery } from '@tanstack/react-query';
import type { TicketWithMessages } from '../api/client.ts';
import { useMembers } from '../people/MemberFace.tsx';
import { usePlace } from '../session/Guard.tsx';
import { mailboxesQuery } from '../tickets/queries.ts';

/** The assignee and the mailbox that a ticket names by their ids. */
export function useProperties({ assigneeId, mailboxId }: TicketWithMessages) {
  const { workspace } = usePlace();
  const members = useMembers();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  return {
    workspace,
    assignee: assigneeId === null ? undefined : members.get(assigneeId),
    mailbox: mailboxes.find(({ id }) => id === mailboxId),
    hasMailboxes: mailboxes.length > 0,
  };
}
