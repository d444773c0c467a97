import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { type DayLimit, daySeconds, takeOfDay } from '../accounts/limits/day-counts.ts';

/** A workspace that is older does not share the limit of the installation, so that strangers cannot use it up. */
const youngDays = 30;

export type Mailed = {
  workspaceId: WorkspaceId;
  emails: readonly string[];
  /** The ticket, or else the mailbox, whose mailbox sends. Without either, the service sends. */
  ticketId?: TicketId | undefined;
  mailboxId?: string | null | undefined;
};

/**
 * Records the new recipients of a workspace.
 * Throws 429 `workspace.recipient_limit` if there would be too many within 24 hours in the workspace, in all workspaces
 * of one of its owners, or in all young workspaces.
 * People who wrote first are not new, if that is proved: by a live mail whose sender was verified. Through a connected
 * mailbox, all people who wrote to a mailbox may be answered, unless their mail was forged.
 * Call it before writing contacts. Mailings to new recipients take a lock here, and a mailing that waits for
 * this lock must not hold locks on contacts.
 */
export async function limitNewRecipients(tx: Tx, mailed: Mailed): Promise<void> {
  const { workspaceId } = mailed;
  const found = await findNew(tx, mailed);
  if (found.length === 0) return;
  const { workspace: perDayMax } = tx.settings.newRecipientsPerDay;
  const [, recent] = await together([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`recipients ${workspaceId}`}, 0))`),
    perDayMax === 0 ? 0 : countRecent(tx, workspaceId),
    tx.run(sql`
      insert into mailed_recipients (workspace_id, email_key, first_mailed_at)
      select ${workspaceId}, email_key, ${tx.now} from unnest(${found}::text[]) email_key
      on conflict do nothing`),
  ]);
  // The rollback undoes the insert.
  if (perDayMax !== 0 && recent + found.length > perDayMax)
    throw limitReached(perDayMax, await secondsUntilFree(tx, workspaceId, perDayMax));
  const reached = await takeOfDay(tx, await wideLimitsOf(tx, workspaceId), found.length);
  if (reached !== undefined) throw limitReached(reached.limit.max, reached.waitSeconds);
}

function limitReached(max: number, waitSeconds: number): AppError {
  return new AppError('workspace.recipient_limit', { max }, { headers: { 'retry-after': String(waitSeconds) } });
}

/** The limits beyond the workspace. They are always taken in the same order. */
async function wideLimitsOf(tx: Tx, workspaceId: WorkspaceId): Promise<DayLimit[]> {
  const limits = tx.settings.newRecipientsPerDay;
  const [owners, workspace] = await together([
    tx.rows<{ userId: UserId }>(sql`
      select user_id as "userId"
      from members
      where workspace_id = ${workspaceId} and role = 'owner' and removed_at is null
      order by user_id`),
    tx.one<{ isYoung: boolean }>(sql`
      select created_at > ${tx.now}::timestamptz - make_interval(days => ${youngDays}) as "isYoung"
      from workspaces
      where id = ${workspaceId}`),
  ]);
  const ofOwners = owners.map(({ userId }) => ({ subject: `recipients of ${userId}`, max: limits.account }));
  return [...ofOwners, ...(workspace.isYoung ? [{ subject: 'recipients', max: limits.installation }] : [])];
}

/** `offset 0` keeps PostgreSQL from joining all recipients and mails of the workspace: it looks up each address. */
async function findNew(tx: Tx, { workspaceId, emails, ticketId, mailboxId }: Mailed): Promise<string[]> {
  const emailKeys = [...new Set(emails.map(caseKey))];
  const rows = await tx.rows<{ emailKey: string }>(sql`
    with way as (
      select exists (
        select
        from mailboxes b
        where b.workspace_id = ${workspaceId} and b.status <> 'disconnected' and b.id = coalesce((
            select t.mailbox_id from tickets t where t.workspace_id = ${workspaceId} and t.id = ${ticketId ?? null}
          ), ${mailboxId ?? null}::uuid)
      ) as is_mailbox
    )
    select k.email_key as "emailKey"
    from unnest(${emailKeys}::text[]) k (email_key)
    where not exists (
        select from mailed_recipients r where r.workspace_id = ${workspaceId} and r.email_key = k.email_key
        offset 0
      ) and not exists (
        select from contacts c
        join ticket_participants p on p.workspace_id = ${workspaceId}
          and p.contact_id = coalesce(c.merged_into_id, c.id)
        join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = p.ticket_id
        join raw_mails r on r.workspace_id = ${workspaceId} and r.message_id = m.id
        where c.workspace_id = ${workspaceId} and c.email_key = k.email_key
          and m.author_contact_id = p.contact_id and m.direction = 'inbound'
          and lower(m.author_email) = k.email_key
          and (
            m.authentication->>'verdict' = 'pass' and r.source <> 'import' and not r.is_history
            or r.mailbox_id is not null and m.authentication->>'verdict' is distinct from 'fail'
              and (select is_mailbox from way)
          )
        offset 0
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
