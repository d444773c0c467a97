import type { Queryable } from '../../ground/database/db.ts';
import { plannedAnew, sql } from '../../ground/database/sql.ts';
import { nilId } from '../../ground/lib/ids.ts';
import type { Asked } from './asked.ts';
import { linesOf } from './csv.ts';
import { also } from './figures.ts';

const pageMax = 1_000;

const columns = [
  'number',
  'subject',
  'status',
  'priority',
  'channel',
  'created_at',
  'first_response_at',
  'first_response_seconds',
  'first_response_business_seconds',
  'resolved_at',
  'resolution_seconds',
  'resolution_business_seconds',
  'answers',
  'customer_messages',
  'notes',
  'reopens',
  'reassignments',
  'one_touch',
] as const;

type Row = {
  id: string;
  number: number;
  subject: string;
  status: string;
  priority: string;
  channel: string;
  created_at: string;
  first_response_at: string | null;
  first_response_seconds: number | null;
  first_response_business_seconds: number | null;
  resolved_at: string | null;
  resolution_seconds: number | null;
  resolution_business_seconds: number | null;
  answers: number;
  customer_messages: number;
  notes: number;
  reopens: number;
  reassignments: number;
  one_touch: string;
};

/** One line for each ticket that was created in the span, in pages, so that memory holds one page. */
export async function* ticketsCsv(db: Queryable, asked: Asked): AsyncGenerator<string> {
  const { workspaceId, span } = asked;
  yield linesOf([columns]);
  let after: { createdAt: string; id: string } = { createdAt: span.from, id: nilId };
  for (;;) {
    const rows = await db.rows<Row>(
      plannedAnew(sql`
      select t.id, t.ticket_number as number, t.subject, t.status, t.priority, t.channel, t.created_at,
        r.responded_at as first_response_at, r.seconds as first_response_seconds,
        r.business_seconds as first_response_business_seconds, m.resolved_at, m.resolution_seconds,
        m.resolution_business_seconds, m.answers, m.customer_messages, m.notes,
        cardinality(array_remove(m.opened_at, t.created_at)) as reopens, m.reassignments,
        m.is_one_touch::text as one_touch
      from tickets t
      join ticket_metrics m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
      left join ticket_responses r on r.workspace_id = ${workspaceId} and r.ticket_id = t.id and r.is_first
      where t.workspace_id = ${workspaceId} and (t.created_at, t.id) > (${after.createdAt}, ${after.id})
        and t.created_at < ${span.to} ${also(asked)}
      order by t.created_at, t.id
      limit ${pageMax}`),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield linesOf(rows.map((row) => columns.map((column) => row[column])));
    after = { createdAt: last.created_at, id: last.id };
  }
}
