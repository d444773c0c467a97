import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { textOfHtml } from '../../ground/lib/html/ready-html.ts';
import { SafeHtml } from '../../ground/lib/html/safe-html.ts';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { messageCharsMax } from '../../ground/lib/message-length.ts';
import type { NewAttachment } from '../files/attach.ts';
import { filesForMessage } from './files.ts';
import { usesDaysMax } from './queries.ts';
import { renderReply } from './render.ts';
import type { StoredSavedReply } from './schema.ts';
import { readVariableValues, type Subject } from './variable-values.ts';
import {
  fillHtml,
  fillText,
  type MissingVariable,
  placeholdersIn,
  placeholdersMax,
  type VariableValues,
} from './variables.ts';

type Written = { body?: string; bodyHtml?: string };
type Finished = { body?: string; bodyHtml?: SafeHtml };
/** The parts that a message takes from a saved reply. */
type UsedReply = { text: Finished; files: NewAttachment[] };

/**
 * The text of a message that comes from a saved reply: the text that the author made of it, else the reply's own text
 * and files. Throws 409 `saved_reply.variable_missing` if a variable has no value.
 */
export async function useSavedReply(
  tx: Tx,
  actor: Actor,
  { reply, written, about }: { reply: StoredSavedReply; written: Written; about: Subject },
): Promise<UsedReply> {
  const values = await readVariableValues(tx, actor, about);
  await noteUse(tx, actor, reply.id);
  if (written.body !== undefined || written.bodyHtml !== undefined) return { text: finish(written, values), files: [] };
  const { body, bodyHtml, missing } = renderReply({ ...reply, subject: null }, values);
  refuseMissing(missing);
  const text = { ...(body !== '' && { body }), ...(reply.bodyHtml !== null && { bodyHtml: new SafeHtml(bodyHtml) }) };
  return { text, files: filesForMessage(reply.attachments, bodyHtml) };
}

/** Fills the variables that an author has left in a text. */
function finish({ body, bodyHtml }: Written, values: VariableValues): Finished {
  // Of long HTML, a thread has found both results before the transaction. So only their variables are filled here.
  const safe = bodyHtml === undefined ? undefined : sanitizeHtml(bodyHtml, { keepsMentions: true }).trim();
  const plain =
    body ??
    textOfHtml(safe ?? '')
      .slice(0, messageCharsMax)
      .toWellFormed();
  for (const [path, text] of Object.entries({ bodyHtml: safe ?? '', body: plain }))
    if (placeholdersIn(text).count > placeholdersMax)
      throw invalidRequest({ path: `body.${path}`, key: 'too_many_variables', params: { limit: placeholdersMax } });
  const text = fillText(plain, values);
  const html = safe === undefined ? undefined : fillHtml(safe, values);
  refuseMissing([...text.missing, ...(html?.missing ?? [])]);
  return { body: text.text, ...(html !== undefined && { bodyHtml: new SafeHtml(html.text) }) };
}

function refuseMissing(missing: readonly MissingVariable[]): void {
  const variables = [...new Set(missing.map(({ variable }) => variable))];
  if (variables.length > 0) throw new AppError('saved_reply.variable_missing', { variables });
}

export async function noteUse(tx: Tx, { workspaceId, userId }: Actor, savedReplyId: string): Promise<void> {
  await tx.run(sql`
    insert into saved_reply_uses (workspace_id, saved_reply_id, user_id, day, uses)
    values (${workspaceId}, ${savedReplyId}, ${userId}, (${tx.now}::timestamptz at time zone 'UTC')::date, 1)
    on conflict (workspace_id, saved_reply_id, user_id, day) do update set uses = saved_reply_uses.uses + 1`);
}

/** Deletes counts of days that no list looks at. */
export const sweepReplyUses: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from saved_reply_uses
    where (workspace_id, saved_reply_id, user_id, day) in (
      select workspace_id, saved_reply_id, user_id, day
      from saved_reply_uses
      where day < (${tx.now}::timestamptz at time zone 'UTC')::date - ${usesDaysMax + 1}::integer
      limit ${rowsMax})`);
