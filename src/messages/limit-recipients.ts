import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError } from '../lib/errors.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';

const daySeconds = 86_400;

/**
 * Records the new recipients of a workspace.
 * Throws 429 `workspace.recipient_limit` if more than `perDayMax` would be new within 24 hours; 0 means no limit.
 * People who wrote first are not new, unless their mail was forged.
 * Call it before writing contacts. Mailings to new recipients take a lock here, and a mailing that waits for
 * this lock must not hold locks on contacts.
 */
export async function limitNewRecipients(
  tx: Tx,
  workspaceId: WorkspaceId,
  emails: readonly string[],
  perDayMax: number,
): Promise<void> {
  const found = await findNew(tx, workspaceId, [...new Set(emails.map(caseKey))]);
  if (found.length === 0) return;
  const [, recent] = await together([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`recipients ${workspaceId}`}, 0))`),
    perDayMax === 0 ? 0 : countRecent(tx, workspaceId),
    tx.run(sql`
      insert into mailed_recipients (workspace_id, email_key, first_mailed_at)
      select ${workspaceId}, email_key, ${tx.now} from unnest(${found}::text[]) email_key
      on conflict do nothing`),
  ]);
  if (perDayMax === 0 || recent + found.length <= perDayMax) return;
  // The rollback undoes the insert.
  const headers = { 'retry-after': String(await secondsUntilFree(tx, workspaceId, perDayMax)) };
  throw new AppError('workspace.recipient_limit', { max: perDayMax }, { headers });
}

async function findNew(tx: Tx, workspaceId: WorkspaceId, emailKeys: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ emailKey: string }>(sql`
    select k.email_key as "emailKey"
    from unnest(${emailKeys}::text[]) k (email_key)
    where not exists (
        select from mailed_recipients r where r.workspace_id = ${workspaceId} and r.email_key = k.email_key
      ) and not exists (
        select from contacts c
        join ticket_participants p on p.workspace_id = ${workspaceId}
          and p.contact_id = coalesce(c.merged_into_id, c.id)
        join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = p.ticket_id
        where c.workspace_id = ${workspaceId} and c.email_key = k.email_key
          and m.author_contact_id = p.contact_id and m.direction = 'inbound' and m.rfc_message_id is not null
          and m.authentication->>'verdict' is distinct from 'fail'
      )`);
  return rows.map(({ emailKey }) => emailKey);
}

/** Stays cheap: the limit also bounds the number of rows. */
async function countRecent(tx: Tx, workspaceId: WorkspaceId): Promise<number> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from mailed_recipients
    where workspace_id = ${workspaceId}
      and first_mailed_at > ${tx.now}::timestamptz - make_interval(secs => ${daySeconds})`);
  return count;
}

/** Seconds until enough recipients are more than a day old for these to fit; at most a day. */
async function secondsUntilFree(tx: Tx, workspaceId: WorkspaceId, perDayMax: number): Promise<number> {
  const last = await tx.maybe<{ seconds: number }>(sql`
    select ceil(extract(epoch from first_mailed_at - ${tx.now}::timestamptz))::integer + ${daySeconds} as seconds
    from mailed_recipients
    where workspace_id = ${workspaceId}
      and first_mailed_at > ${tx.now}::timestamptz - make_interval(secs => ${daySeconds})
    order by first_mailed_at desc
    offset ${perDayMax}
    limit 1`);
  return Math.min(Math.max(last?.seconds ?? daySeconds, 1), daySeconds);
}
