import { everything, type Scope } from '../catalog/scope.ts';
import { isSeen } from './sight.ts';
import { Sql, sql } from './sql.ts';

/** The condition that the scope shows the ticket of row `row`, such as `t`. Each read of tickets has it. */
export function visible({ sight }: Scope, row: string): Sql {
  return isSeen(sight, named(row));
}

/**
 * The condition for rows that belong to a ticket: messages, files, events, drafts. `column` names the ticket, such as
 * `m.ticket_id`. A row that belongs to none is visible. While the scope shows everything, this costs nothing. Otherwise
 * it looks up the ticket by its key, so a statement that joins the ticket anyway says `visible` of that row instead.
 */
export function ofVisible(scope: Scope, column: string): Sql {
  if (scope.sight === everything) return always;
  return sql`not exists (
    select from tickets hidden
    where hidden.workspace_id = ${scope.workspaceId} and hidden.id = ${named(column)}
      and not ${isSeen(scope.sight, named('hidden'))})`;
}

const always = sql`true`;
const names = new Map<string, Sql>();

/** Returns the same part each time, because `toText` recognises a text by the identity of its strings. */
function named(name: string): Sql {
  let part = names.get(name);
  if (part === undefined) {
    part = new Sql([name], []);
    names.set(name, part);
  }
  return part;
}
