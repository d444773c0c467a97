import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { isHiddenBy } from '../../../ground/database/visible.ts';
import type { TeamId, UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { shownTo } from '../../../helpdesk/tickets/teams/team-of-ticket.ts';
import type { RawMail } from '../raw-mails.ts';
import type { TicketDefaults } from './receive.ts';

/**
 * Defaults for tickets of mail, by mailbox. The lock keeps the assignees members until the commit. Somebody outside a
 * restricted team gets none of its tickets.
 */
export async function readTicketDefaults(
  tx: Tx,
  workspaceId: WorkspaceId,
  mails: readonly { raw: Pick<RawMail, 'mailboxId'> }[],
): Promise<Map<string, TicketDefaults>> {
  const mailboxIds = new Set(mails.flatMap(({ raw }) => raw.mailboxId ?? []));
  if (mailboxIds.size === 0) return new Map();
  const rows = await tx.rows<{ id: string; assigneeId: UserId | null; teamId: TeamId | null; tags: string[] }>(sql`
    select b.id, m.user_id as "assigneeId", b.team_id as "teamId", b.default_tags as tags
    from mailboxes b
    left join lateral (
      select m.user_id
      from members m
      where m.workspace_id = ${workspaceId} and m.user_id = b.default_assignee_id and m.removed_at is null
        and not ${isHiddenBy(workspaceId, { teamId: sql`b.team_id`, userId: sql`m.user_id` })}
      for key share of m
    ) m on true
    where b.workspace_id = ${workspaceId} and b.id = any(${[...mailboxIds]}::uuid[])`);
  return new Map(rows.map(({ id, ...defaults }) => [id, defaults]));
}

/** The defaults of a ticket that continues or may quote another: its team is that of the other, which may hide it. */
export async function defaultsInTeam(
  tx: Tx,
  workspaceId: WorkspaceId,
  defaults: TicketDefaults,
  other: Pick<Ticket, 'id' | 'teamId'>,
): Promise<TicketDefaults> {
  const { teamId } = other;
  if (defaults.assigneeId === null || teamId === defaults.teamId) return { ...defaults, teamId };
  const [assigneeId = null] = await shownTo(tx, workspaceId, other, [defaults.assigneeId]);
  return { ...defaults, teamId, assigneeId };
}
