import type { ReadFact } from '../../events/activity/fact-reader.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { isForTicket, isNotAskedLately } from '../../helpdesk/ratings/ask.ts';

/** What of a fact a survey goes by. */
export type ClosingFact = Pick<ReadFact, 'type' | 'data' | 'cause' | 'actorUserId' | 'createdAt' | 'ticket'>;

/**
 * Plans to ask the customer of a ticket that a member has closed, if a survey asks so. What rules, imports and the
 * change of a whole list close asks nobody.
 */
export async function planSurvey(tx: Tx, workspaceId: WorkspaceId, fact: ClosingFact): Promise<void> {
  const { type, data, cause, actorUserId, createdAt, ticket } = fact;
  if (type !== 'ticket.status_changed' || ticket === null || actorUserId === null) return;
  if ((data as { to?: string }).to !== 'closed' || (cause !== null && cause.kind !== 'saved_reply')) return;
  await tx.run(sql`
    insert into survey_plans (workspace_id, ticket_id, survey_id, due_at)
    select ${workspaceId}::uuid, t.id, s.id, ${createdAt}::timestamptz + make_interval(mins => s.delay_minutes)
    from tickets t
    join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    join surveys s on s.workspace_id = ${workspaceId} and s.ask = 'after_close' and ${isForTicket}
    where t.workspace_id = ${workspaceId} and t.id = ${ticket.id} and ${visible(machineScope(workspaceId), 't')}
      and t.status = 'closed' and ${isNotAskedLately(workspaceId, tx.now)}
    order by s.mailbox_id is null, s.created_at, s.id
    limit 1
    on conflict (workspace_id, ticket_id) do update set survey_id = excluded.survey_id, due_at = excluded.due_at`);
}

/** Lists the closed tickets whose customers are to be asked now. */
export function listDueSurveys(db: Queryable, { within, except, rowsMax, now }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select p.workspace_id as "workspaceId", p.ticket_id as id
    from survey_plans p
    where p.due_at <= ${now} ${within(sql`p.workspace_id`)} ${except(sql`p.ticket_id`)}
    order by p.due_at
    limit ${rowsMax}`);
}

export type Planned = { workspaceId: WorkspaceId; ticketId: TicketId };
