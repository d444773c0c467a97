import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { undoHours } from './queries.ts';

/** How long the list of changes goes back. */
const listedDays = 30;

/** Forgets what changes made of their tickets once that can no longer be undone. */
export const sweepBulkTickets: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from bulk_change_tickets
    where (workspace_id, bulk_change_id, ticket_id) in (
      select t.workspace_id, t.bulk_change_id, t.ticket_id
      from bulk_changes c
      join bulk_change_tickets t on t.workspace_id = c.workspace_id and t.bulk_change_id = c.id
      where c.state in ('done', 'stopped', 'undone')
        and c.finished_at < ${tx.now}::timestamptz - make_interval(hours => ${undoHours})
      limit ${rowsMax})`);

export const sweepBulkChanges: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from bulk_changes
    where (workspace_id, id) in (
      select c.workspace_id, c.id
      from bulk_changes c
      where c.state in ('done', 'stopped', 'undone')
        and c.finished_at < ${tx.now}::timestamptz - make_interval(days => ${listedDays})
        and not exists (
          select from bulk_change_tickets t where t.workspace_id = c.workspace_id and t.bulk_change_id = c.id
        )
      limit ${rowsMax})`);
