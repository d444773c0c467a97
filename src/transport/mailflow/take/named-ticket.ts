import { threadIds } from '@kontor/mail/threading.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { ContactId, MessageId, TeamId, TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { mailIdKey } from '../../../helpdesk/messages/mail-ids.ts';
import type { UnderstoodMail } from '../understand.ts';
import { findNamedByDesk } from './former-desk.ts';

/** A ticket that a mail names and may quote. Its team decides who sees the new ticket of the mail. */
export type NamedTicket = { id: TicketId; teamId: TeamId };

/**
 * Finds a ticket of a team, in the trash or not, that a forged or blocked mail names. Such mail may at most hide its
 * own ticket in that team.
 */
export async function findNamed(
  tx: Tx,
  workspaceId: WorkspaceId,
  mail: UnderstoodMail,
  { senderId, answeredId }: { senderId: ContactId | null; answeredId: MessageId | null },
): Promise<NamedTicket | undefined> {
  const ids = [...threadIds(mail.parsed), ...reportedIds(mail)];
  const isNaming = ids.length > 0 || answeredId !== null;
  const named = isNaming ? await findByIds(tx, workspaceId, { ids, answeredId }) : undefined;
  if (named !== undefined || senderId === null) return named;
  const byDesk = await findNamedByDesk(tx, workspaceId, { mail, contactId: senderId, isReply: false });
  return byDesk && ofTeam([byDesk.ticket]);
}

export function ofTeam(tickets: readonly { id: TicketId; teamId: TeamId | null }[]): NamedTicket | undefined {
  return tickets.flatMap(({ id, teamId }) => (teamId === null ? [] : [{ id, teamId }]))[0];
}

function findByIds(
  tx: Tx,
  workspaceId: WorkspaceId,
  { ids, answeredId }: { ids: readonly string[]; answeredId: MessageId | null },
): Promise<NamedTicket | undefined> {
  return tx.maybe<NamedTicket>(sql`
    select t.id, t.team_id as "teamId"
    from tickets t
    where t.workspace_id = ${workspaceId} and t.team_id is not null
      and t.id = any(array(
        select coalesce((
            select m.ticket_id from messages m where m.workspace_id = ${workspaceId} and m.id = i.message_id
          ), i.ticket_id)
        from mail_ids i
        where i.workspace_id = ${workspaceId} and i.rfc_message_id = any(${ids.map(mailIdKey)}::text[])
      ) || array(
        select m.ticket_id from messages m where m.workspace_id = ${workspaceId} and m.id = ${answeredId}::uuid
      ))
    order by t.last_message_at desc, t.id desc
    limit 1`);
}

/** The Message-IDs of the mail on which a mail reports. */
export function reportedIds({ report }: UnderstoodMail): string[] {
  const { originalMessageId = null, originalOwnId = null, originalThreadIds = [] } = report ?? {};
  return [originalMessageId, originalOwnId, ...originalThreadIds].filter((id) => id !== null);
}
