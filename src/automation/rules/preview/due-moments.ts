import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { emptySql, sql } from '../../../ground/database/sql.ts';
import { visible } from '../../../ground/database/visible.ts';
import type { TicketId } from '../../../ground/lib/ids.ts';
import type { Batch } from '../batch.ts';
import type { Anchor, RuleContent } from '../schema.ts';
import { dueAfter, readAnchors } from '../timers.ts';
import type { Moment } from './moments.ts';
import { readTicketsNow } from './read-past.ts';

const pageMax = 500;

/**
 * The tickets for which a rule about time waits, the newest first, as they are now: each at the time when the rule
 * would be due, or now if that has passed.
 */
export async function* dueMoments(
  tx: Tx,
  actor: Actor,
  rule: Pick<RuleContent, 'trigger'>,
  calendars: Batch['calendars'],
): AsyncGenerator<Moment[]> {
  let before: TicketId | undefined;
  do {
    const ids = await listOpenTickets(tx, actor, before);
    const anchors = await readAnchors(tx, actor.workspaceId, ids);
    const tickets = await readTicketsNow(tx, actor, ids);
    yield ids.flatMap((id) => {
      const [ticket, anchor] = [tickets.get(id), anchors.get(id)?.[rule.trigger.since as Anchor] ?? null];
      const due = anchor === null ? undefined : dueAfter(rule, anchor, calendars);
      if (ticket === undefined || due === undefined) return [];
      const at = new Date(Math.max(due.getTime(), tx.now.getTime()));
      return [{ id, eventId: null, at, told: undefined, ticket, columns: {}, unknown: new Set() }];
    });
    before = ids.length < pageMax ? undefined : ids.at(-1);
  } while (before !== undefined);
}

async function listOpenTickets(tx: Tx, actor: Actor, before: TicketId | undefined): Promise<TicketId[]> {
  const rows = await tx.rows<{ id: TicketId }>(sql`
    select t.id from tickets t
    where t.workspace_id = ${actor.workspaceId} and t.status <> 'closed'
      ${before === undefined ? emptySql : sql`and t.id < ${before}`} and ${visible(actor, 't')}
    order by t.id desc
    limit ${pageMax}`);
  return rows.map(({ id }) => id);
}
