import { useQuery } from '@tanstack/react-query';
import type { TicketWithMessages } from '../api/client.ts';
import { useMembers } from '../people/MemberFace.tsx';
import { usePlace } from '../session/Guard.tsx';
import { mailboxesQuery, teamsQuery } from '../tickets/queries.ts';

/** The assignee, the team and the mailbox that a ticket names by their ids. */
export function useProperties({ assigneeId, teamId, mailboxId }: TicketWithMessages) {
  const { workspace } = usePlace();
  const members = useMembers();
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  return {
    workspace,
    assignee: assigneeId === null ? undefined : members.get(assigneeId),
    team: teams.find(({ id }) => id === teamId),
    hasTeams: teams.length > 0,
    mailbox: mailboxes.find(({ id }) => id === mailboxId),
    hasMailboxes: mailboxes.length > 0,
  };
}
