import type { Actor } from '../../ground/catalog/actor.ts';
import { type Db, type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { isOfAllSeeing } from '../../ground/database/sight.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { TeamId, TicketId } from '../../ground/lib/ids.ts';
import { audit } from '../audit/audit.ts';

/** Owners see tickets of restricted teams that they are not in. Such a look leaves an entry in the audit log. */

type Looked = { id: TicketId; ticketNumber: number; teamId: TeamId | null };

/** Whether only their role shows ticket `t` of a restricted team to an owner. */
export function isReadFromOutside({ workspaceId, userId, sight }: Actor): Sql {
  if (!isOfAllSeeing(sight)) return sql`false`;
  return sql`t.team_id is not null and t.assignee_id is distinct from ${userId} and exists (
      select from teams r
      where r.workspace_id = ${workspaceId} and r.id = t.team_id and r.visibility = 'members'
    ) and not exists (
      select from team_members o
      where o.workspace_id = ${workspaceId} and o.team_id = t.team_id and o.user_id = ${userId}
    ) and not exists (
      select from ticket_followers f
      where f.workspace_id = ${workspaceId} and f.ticket_id = t.id and f.user_id = ${userId}
    )`;
}

/** The ticket if the actor sees it only because owners see all: its team is restricted, and they are outside. */
export async function findFromOutside(db: Queryable, actor: Actor, ticketId: TicketId): Promise<Looked | undefined> {
  if (!isOfAllSeeing(actor.sight)) return undefined;
  return db.maybe(sql`
    select t.id, t.ticket_number as "ticketNumber", t.team_id as "teamId"
    from tickets t
    where t.workspace_id = ${actor.workspaceId} and t.id = ${ticketId} and ${visible(actor, 't')}
      and ${isReadFromOutside(actor)}`);
}

/** Notes, once an hour, that an owner has opened a ticket of a restricted team from outside. */
export async function noteOwnersLook(tx: Tx, actor: Actor, { id, ticketNumber, teamId }: Looked): Promise<void> {
  const { workspaceId, userId } = actor;
  const [, noted] = await together([
    // Of two looks at once, the second finds the entry of the first.
    tx.run(sql`select from teams where workspace_id = ${workspaceId} and id = ${teamId} for no key update`),
    tx.maybe(sql`
      select from audit_log
      where workspace_id = ${workspaceId} and type = 'ticket.opened_by_owner' and actor_user_id = ${userId}
        and subject_id = ${id} and created_at > ${tx.now}::timestamptz - interval '1 hour'
      limit 1`),
  ]);
  if (noted !== undefined) return;
  await audit(tx, actor, { type: 'ticket.opened_by_owner', subjectId: id, data: { ticketNumber } });
}

/** The same for who reads what belongs to a ticket: a file, or a mail as it came. It may belong to none. */
export async function noteLookInto(db: Db, actor: Actor, ticketId: TicketId | null): Promise<void> {
  const looked = ticketId === null ? undefined : await findFromOutside(db, actor, ticketId);
  if (looked !== undefined) await db.tx((tx) => noteOwnersLook(tx, actor, looked));
}
