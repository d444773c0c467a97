import { type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { erasedText, likeAddresses, type Person, type Scrub, scrubOf, without } from './person.ts';

/** The conditions of the rows to change. Each row is `r`. */
export type RowChoice = { events: Sql; deliveries: Sql; notifications: Sql; files: Sql };
export const noRows: RowChoice = {
  events: sql`false`,
  deliveries: sql`false`,
  notifications: sql`false`,
  files: sql`false`,
};

/**
 * Removes the person from rows beside tickets and messages: events, the log of webhooks, notifications and names of
 * files.
 */
export async function scrubRows(tx: Tx, workspaceId: WorkspaceId, person: Person, which: RowChoice): Promise<void> {
  const scrub = scrubOf(person);
  const events = sql`from activity r where r.workspace_id = ${workspaceId} and ${which.events}`;
  const deliveries = sql`from webhook_deliveries r where r.workspace_id = ${workspaceId} and ${which.deliveries}`;
  const notifications = sql`from notifications r where r.workspace_id = ${workspaceId} and ${which.notifications}`;
  const files = sql`from attachments r where r.workspace_id = ${workspaceId} and ${which.files}`;
  const found = await together([
    tx.rows<JsonRow>(sql`select r.id, r.data ${events}`),
    tx.rows<JsonRow>(sql`select r.id, r.payload as data ${deliveries}`),
    tx.rows<TextRow>(sql`select r.id, r.title as text ${notifications}`),
    tx.rows<TextRow>(sql`select r.id, r.file_name as text ${files}`),
  ]);
  const ofRow = (id: string) => sql`workspace_id = ${workspaceId} and id = ${id}`;
  await together([
    ...changedJson(found[0], scrub).map(({ id, json }) =>
      tx.run(sql`update activity set data = ${json}::jsonb where ${ofRow(id)}`),
    ),
    ...changedJson(found[1], scrub).map(({ id, json }) =>
      tx.run(sql`update webhook_deliveries set payload = ${json}::jsonb where ${ofRow(id)}`),
    ),
    ...changedText(found[2], scrub).map(({ id, text }) =>
      tx.run(sql`update notifications set title = ${text} where ${ofRow(id)}`),
    ),
    ...changedText(found[3], scrub).map(({ id, text }) =>
      tx.run(sql`update attachments set file_name = ${text} where ${ofRow(id)}`),
    ),
  ]);
}

type JsonRow = { id: string; data: object };
type TextRow = { id: string; text: string };

function changedJson(rows: readonly JsonRow[], scrub: Scrub): { id: string; json: string }[] {
  return rows.flatMap(({ id, data }) => {
    const json = JSON.stringify(scrub.json(data));
    return json === JSON.stringify(data) ? [] : [{ id, json }];
  });
}

function changedText(rows: readonly TextRow[], scrub: Scrub): TextRow[] {
  return rows.flatMap(({ id, text }) => (scrub.text(text) === text ? [] : [{ id, text: scrub.text(text) }]));
}

/**
 * Rewrites those drafts that name the person. Each gets a new version, so that an editor that was open meanwhile cannot
 * save the old text over it.
 */
export async function scrubDrafts(tx: Tx, workspaceId: WorkspaceId, person: Person, which: Sql): Promise<void> {
  const scrub = scrubOf(person);
  const drafts = await tx.rows<DraftRow>(sql`
    select id, subject, body, body_html as "bodyHtml", to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc
    from drafts
    where workspace_id = ${workspaceId} and ${which}
    for update`);
  for (const draft of drafts) {
    const { id, ...after } = {
      ...draft,
      subject: scrub.text(draft.subject),
      body: scrub.text(draft.body),
      bodyHtml: scrub.html(draft.bodyHtml),
      to: without(draft.to, person),
      cc: without(draft.cc, person),
      bcc: without(draft.bcc, person),
    };
    if (JSON.stringify({ id, ...after }) === JSON.stringify(draft)) continue;
    await tx.run(sql`
      update drafts
      set subject = ${after.subject}, body = ${after.body}, body_html = ${after.bodyHtml},
        to_addresses = ${after.to}::text[], cc_addresses = ${after.cc}::text[], bcc_addresses = ${after.bcc}::text[],
        version = version + 1, updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${id}`);
  }
}

type DraftRow = {
  id: string;
  subject: string;
  body: string;
  bodyHtml: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
};

/** Rewrites names and filters of saved lists that have an address. */
export async function scrubViews(tx: Tx, workspaceId: WorkspaceId, scrub: Scrub, patterns: string[]): Promise<void> {
  const views = await tx.rows<{ id: string; name: string; query: object }>(sql`
    select id, name, query from views
    where workspace_id = ${workspaceId} and concat_ws(' ', name, query) ilike any(${patterns}::text[])`);
  for (const { id, name, query } of views)
    await tx.run(sql`
      update views set name = ${scrub.text(name)}, query = ${JSON.stringify(scrub.json(query))}::jsonb
      where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Forgets the colours of tags that have an address. */
export async function scrubTagColours(
  tx: Tx,
  workspaceId: WorkspaceId,
  scrub: Scrub,
  patterns: string[],
): Promise<void> {
  const found = await tx.maybe<{ colours: { tag: string }[] }>(sql`
    select tag_colours as colours from workspaces
    where id = ${workspaceId} and tag_colours::text ilike any(${patterns}::text[])
    for no key update`);
  if (found === undefined) return;
  const kept = found.colours.filter(({ tag }) => scrub.text(tag) === tag);
  await tx.run(sql`update workspaces set tag_colours = ${JSON.stringify(kept)}::jsonb where id = ${workspaceId}`);
}

/** Rewrites filters and reasons of bulk changes, and deletes their undo data of tickets whose tags name the person. */
export async function scrubBulkChanges(tx: Tx, workspaceId: WorkspaceId, person: Person): Promise<void> {
  const scrub = scrubOf(person);
  const patterns = likeAddresses({ ...person, addresses: [...person.addresses, ...person.names] });
  const changes = await tx.rows<{ id: string; query: object; change: object }>(sql`
    select id, query, change from bulk_changes
    where workspace_id = ${workspaceId} and concat_ws(' ', query, change) ilike any(${patterns}::text[])`);
  for (const { id, query, change } of changes)
    await tx.run(sql`
      update bulk_changes
      set query = ${JSON.stringify(scrub.json(query))}::jsonb, change = ${JSON.stringify(scrub.json(change))}::jsonb
      where workspace_id = ${workspaceId} and id = ${id}`);
  await tx.run(sql`
    delete from bulk_change_tickets
    where workspace_id = ${workspaceId} and made->'fields'->>'tags' ilike any(${patterns}::text[])`);
}

/** Takes away the names of imported files that have an address, as mail programs call a saved mail. */
export async function scrubImports(tx: Tx, workspaceId: WorkspaceId, patterns: string[]): Promise<void> {
  // The ending stays, since it tells how a file is read.
  await tx.run(sql`
    update mail_import_files set file_name = ${erasedText} || coalesce(substring(file_name from '[.][a-zA-Z0-9]+$'), '')
    where workspace_id = ${workspaceId} and file_name ilike any(${patterns}::text[])`);
  await tx.run(sql`
    update mail_imports
    set problems = (
      select jsonb_agg(
        case when p.one->>'source' ilike any(${patterns}::text[])
          then jsonb_set(p.one, '{source}', to_jsonb(${erasedText}::text)) else p.one end
        order by p.place)
      from jsonb_array_elements(problems) with ordinality p (one, place))
    where workspace_id = ${workspaceId} and problems::text ilike any(${patterns}::text[])`);
}

/**
 * The entries stay, without the address. Nobody may change entries, so the right to is granted for this alone.
 * @param which the condition of the entries `r`
 */
export async function scrubAudit(tx: Tx, workspaceId: WorkspaceId, scrub: Scrub, which: Sql): Promise<void> {
  const entries = changedJson(
    await tx.rows<JsonRow>(sql`
      select r.id, r.data from audit_log r
      where r.workspace_id = ${workspaceId} and ${which}`),
    scrub,
  );
  if (entries.length === 0) return;
  // PostgreSQL refuses one of two transactions that change the rights at once.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('erasures audit_log', 0))`);
  await tx.run(sql`grant update (data) on audit_log to current_user`);
  for (const { id, json } of entries)
    await tx.run(sql`
      update audit_log set data = ${json}::jsonb where workspace_id = ${workspaceId} and id = ${id}`);
  await tx.run(sql`revoke update (data) on audit_log from current_user`);
}
