import { audit } from '../../../access/audit/audit.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import { type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Ticket } from '../schema.ts';

/** Notes in the audit log, once an hour, that an owner has opened a ticket of a restricted team from outside. */
export async function noteOwnersLook(
  tx: Tx,
  actor: Actor,
  { id, ticketNumber, teamId }: Pick<Ticket, 'id' | 'ticketNumber' | 'teamId'>,
): Promise<void> {
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
