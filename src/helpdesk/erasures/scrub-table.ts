import { type ScrubKind, scrubbedOf, type TableName } from '../../ground/catalog/tables/tables.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import { scrubbedColumns, scrubbedTexts, searchedTexts, tableNamed } from '../../ground/database/table-sql.ts';
import { nilId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { likeAddresses, type Person, scrubOf, without } from './person.ts';

/** Takes a person out of the rows of a table, by the kind of personal data that its description gives each column. */

/** The scrubbed columns of a row, by their names in the database. */
export type Texts = Record<string, unknown>;
type TextRow = { id: string; texts: Texts };

/**
 * The tables, beside messages, with texts to scrub. An erasure goes through them in this order. A new one comes last,
 * because work under way names its table by its place.
 */
export const scrubbedTables = [
  'activity',
  'webhook_deliveries',
  'notifications',
  'attachments',
  'audit_log',
  'drafts',
  'views',
  'bulk_changes',
  'rules',
  'rule_versions',
] as const satisfies TableName[];
export type ScrubbedTable = (typeof scrubbedTables)[number];

/** @param which the condition of the rows `r` */
export async function scrubTable(
  tx: Tx,
  workspaceId: WorkspaceId,
  table: ScrubbedTable,
  { person, which }: { person: Person; which: Sql },
): Promise<void> {
  // A person may be writing.
  const lock = table === 'drafts' ? sql`for update` : emptySql;
  const rows = await tx.rows<TextRow>(sql`
    select r.id, ${scrubbedTexts(table, 'r')} as texts
    from ${tableNamed(table)} r
    where r.workspace_id = ${workspaceId} and ${which}
    ${lock}`);
  const scrub = scrubberOf(table, person);
  const changed = rows.flatMap((row) => changedRow(row, scrub(row.texts)));
  if (table === 'audit_log') await whileAuditMayChange(tx, changed, () => rewrite(tx, workspaceId, table, changed));
  else await rewrite(tx, workspaceId, table, changed);
}

/** Takes the person out of the texts of a row. */
export function scrubberOf(table: TableName, person: Person): (texts: Texts) => Texts {
  const scrub = scrubOf(person);
  const kinds = scrubbedOf(table);
  const ways: Record<ScrubKind, (value: never) => unknown> = {
    text: scrub.text,
    html: scrub.html,
    json: scrub.json,
    addresses: (list) => without(list, person),
  };
  const scrubbed = (name: string, value: unknown) => ways[kinds.get(name) ?? 'text'](value as never);
  return (texts) => Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, scrubbed(name, value)]));
}

function changedRow({ id, texts }: TextRow, after: Texts): TextRow[] {
  return JSON.stringify(after) === JSON.stringify(texts) ? [] : [{ id, texts: after }];
}

async function rewrite(
  tx: Tx,
  workspaceId: WorkspaceId,
  table: ScrubbedTable,
  rows: readonly TextRow[],
): Promise<void> {
  // An editor that was open meanwhile cannot save the old text over a draft of a new version.
  const also = table === 'drafts' ? sql`, version = t.version + 1, updated_at = ${tx.now}` : emptySql;
  await together(
    rows.map(({ id, texts }) =>
      tx.run(sql`
        update ${tableNamed(table)} t
        set ${scrubbedColumns(table, 'r')} ${also}
        from json_populate_record(null::${tableNamed(table)}, ${JSON.stringify(texts)}::json) r
        where t.workspace_id = ${workspaceId} and t.id = ${id}`),
    ),
  );
}

/** Nobody may change entries of the audit log, so the right to is granted for this alone. */
async function whileAuditMayChange(tx: Tx, rows: readonly TextRow[], work: () => Promise<void>): Promise<void> {
  if (rows.length === 0) return;
  // PostgreSQL refuses one of two transactions that change the rights at once.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('erasures audit_log', 0))`);
  await tx.run(sql`grant update (data) on audit_log to current_user`);
  await work();
  await tx.run(sql`revoke update (data) on audit_log from current_user`);
}

/** A statement may take half a minute. */
const rowsAtOnce = 5_000;

/** Removes the addresses from the next rows of a table. */
export function eraseFrom(table: ScrubbedTable) {
  /** @returns the last row that was searched; undefined when none remain */
  return async (
    tx: Tx,
    workspaceId: WorkspaceId,
    { person, after }: { person: Person; after: string | null },
  ): Promise<string | undefined> => {
    const searched = await tx.rows<{ id: string }>(sql`
      select r.id from ${tableNamed(table)} r
      where r.workspace_id = ${workspaceId} and r.id > ${after ?? nilId}::uuid
      order by r.id
      limit ${rowsAtOnce}`);
    const last = searched.at(-1)?.id;
    if (last === undefined) return undefined;
    const which = sql`r.id > ${after ?? nilId}::uuid and r.id <= ${last}::uuid
      and ${searchedTexts(table, 'r')} ilike any(${likeAddresses(person)}::text[])`;
    await scrubTable(tx, workspaceId, table, { person: { ...person, names: [] }, which });
    return last;
  };
}
