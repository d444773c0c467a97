import type { Actor } from '../../ground/catalog/actor.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { type Page, pageOf, readIdCursor } from '../../ground/lib/cursor.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId } from '../../ground/lib/ids.ts';
import { hasTicket } from '../../helpdesk/tickets/queries.ts';
import { getRule } from './queries.ts';
import type { RuleRun } from './schema.ts';

type Paging = { limit: number; cursor?: string };

/** The runs of a rule on tickets that the actor sees, newest first. Throws 404, and 400 for an invalid cursor. */
export async function listRunsOfRule(
  db: Queryable,
  actor: Actor,
  { ruleId, ...paging }: Paging & { ruleId: string },
): Promise<Page<RuleRun>> {
  await getRule(db, { workspaceId: actor.workspaceId, ruleId });
  return listRuns(db, actor, sql`r.rule_id = ${ruleId}`, paging);
}

/** What rules did with a ticket, newest first. Throws as `listRunsOfRule` does. */
export async function listRunsOfTicket(
  db: Queryable,
  actor: Actor,
  { ticketId, ...paging }: Paging & { ticketId: TicketId },
): Promise<Page<RuleRun>> {
  if (!(await hasTicket(db, actor, ticketId))) throw new AppError('ticket.not_found');
  return listRuns(db, actor, sql`r.ticket_id = ${ticketId}`, paging);
}

async function listRuns(db: Queryable, actor: Actor, chosen: Sql, { limit, cursor }: Paging): Promise<Page<RuleRun>> {
  const { workspaceId } = actor;
  const behind = cursor === undefined ? emptySql : sql`and r.id < ${readIdCursor(cursor)}::uuid`;
  const rows = await db.rows<RuleRun>(sql`
    select r.id, r.rule_id as "ruleId", v.name as "ruleName", r.rule_version as "ruleVersion",
      r.ticket_id as "ticketId", t.ticket_number as "ticketNumber", t.subject, r.outcome, r.did, r.error,
      r.created_at as at
    from rule_runs r
    join rule_versions v on v.workspace_id = ${workspaceId} and v.rule_id = r.rule_id and v.version = r.rule_version
    join tickets t on t.workspace_id = ${workspaceId} and t.id = r.ticket_id
    where r.workspace_id = ${workspaceId} and ${chosen} ${behind} and ${visible(actor, 't')}
    order by r.id desc
    limit ${limit + 1}`);
  return pageOf(rows, limit, ({ id }) => id);
}
