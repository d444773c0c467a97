import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { hasTicket } from '../../helpdesk/tickets/queries.ts';
import type { AutoAnswer } from './schema.ts';

const listedMax = 100;

/** Which automatic replies the mails of a ticket got, and why they got none; the newest first. Throws 404. */
export async function listAutoAnswers(db: Queryable, actor: Actor, ticketId: TicketId): Promise<AutoAnswer[]> {
  if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
  const { workspaceId } = actor;
  return db.rows<AutoAnswer>(sql`
    select l.id, l.auto_reply_id as "autoReplyId", r.name as "autoReplyName", l.message_id as "messageId",
      l.reply_id as "replyId", l.withheld, l.created_at as at
    from auto_reply_log l
    left join auto_replies r on r.workspace_id = ${workspaceId} and r.id = l.auto_reply_id
    where l.workspace_id = ${workspaceId} and l.ticket_id = ${ticketId} and l.kind <> 'rule'
      and ${ofVisible(actor, 'l.ticket_id')}
    order by l.id desc
    limit ${listedMax}`);
}
