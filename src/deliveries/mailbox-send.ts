import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { findMailbox, type Mailbox } from '../mailboxes/queries.ts';
import { mailIdKey } from '../messages/mail-ids.ts';

/** How an answer goes out through a mailbox. */
export type MailboxSend = {
  mailbox: Mailbox;
  /** The provider's thread that the answer continues. */
  thread: Thread | null;
  draftId: string | null;
  /** When an earlier attempt began the handover. If set, ask the mailbox whether the mail left before sending again. */
  handedOverAt: string | null;
  /** Since when the outcome is unknown. Nobody sends the mail while this is set. */
  unsureSince: string | null;
};

type Thread = {
  id: string;
  /** The newest raw mail of the thread that is stored here, if any. */
  newestSha256: string | null;
};

type Named = { workspaceId: WorkspaceId; messageId: MessageId };
type Attempt = Named & { attempt: number };

/** What the mailboxes know of an answer that is being claimed. */
export type MailboxClaim = {
  /** The ticket's mailbox, unless it is disconnected. */
  ticketMailboxId: string | null;
  /** The mailbox of an earlier attempt. */
  triedMailboxId: string | null;
  draftId: string | null;
  unsureSince: string | null;
};

export function readMailboxClaim(
  tx: Tx,
  { workspaceId, messageId, ticketId }: Named & { ticketId: TicketId },
): Promise<MailboxClaim> {
  return tx.one<MailboxClaim>(sql`
    select b.id as "ticketMailboxId", s.mailbox_id as "triedMailboxId", s.draft_id as "draftId",
      s.unsure_since as "unsureSince"
    from tickets t
    left join mailboxes b on b.workspace_id = ${workspaceId} and b.id = t.mailbox_id and b.status <> 'disconnected'
    left join mailbox_sends s on s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
}

/**
 * Chooses how a claimed answer goes out.
 * That is the ticket's mailbox. A handover that began continues there, because only that mailbox can tell its outcome.
 * @returns null for SMTP
 */
export async function takeMailboxWay(
  tx: Tx,
  { workspaceId, messageId }: Named,
  claim: MailboxClaim,
  { handedOverAt, answered }: Pick<MailboxSend, 'handedOverAt'> & { answered: string | null },
): Promise<MailboxSend | null> {
  const mailboxId = handedOverAt === null ? claim.ticketMailboxId : claim.triedMailboxId;
  if (mailboxId === null) {
    // The row would suggest a handover to a mailbox once SMTP has the mail.
    if (claim.triedMailboxId !== null) {
      await tx.run(sql`
        delete from mailbox_sends where workspace_id = ${workspaceId} and message_id = ${messageId}`);
    }
    return null;
  }
  const [mailbox, thread] = await together([
    findMailbox(tx, { workspaceId, mailboxId }),
    answered === null ? null : findThread(tx, { workspaceId, mailboxId, answered }),
    tx.run(sql`
      insert into mailbox_sends (workspace_id, message_id, mailbox_id)
      values (${workspaceId}, ${messageId}, ${mailboxId})
      on conflict (workspace_id, message_id) do update
      set mailbox_id = excluded.mailbox_id,
        draft_id = case when mailbox_sends.mailbox_id = excluded.mailbox_id then mailbox_sends.draft_id end,
        unsure_since = case when ${handedOverAt !== null} then mailbox_sends.unsure_since end`),
  ]);
  if (mailbox === undefined) throw new Error('a mailbox that has sent is gone');
  const draftId = claim.triedMailboxId === mailboxId ? claim.draftId : null;
  return { mailbox, thread, draftId, handedOverAt, unsureSince: claim.unsureSince };
}

/** Finds the mailbox's thread of the mail that is answered. */
async function findThread(
  tx: Tx,
  { workspaceId, mailboxId, answered }: { workspaceId: WorkspaceId; mailboxId: string; answered: string },
): Promise<Thread | null> {
  const found = await tx.maybe<{ threadId: string | null }>(sql`
    select coalesce((
        select s.thread_id from mailbox_sends s
        where s.workspace_id = ${workspaceId} and s.message_id = i.message_id and s.mailbox_id = ${mailboxId}
      ), (
        select b.thread_id
        from raw_mails r
        join mailbox_mails b on b.workspace_id = ${workspaceId} and b.raw_mail_id = r.id
        where r.workspace_id = ${workspaceId} and r.message_id = i.message_id and b.mailbox_id = ${mailboxId}
          and b.thread_id is not null
        limit 1
      )) as "threadId"
    from mail_ids i
    where i.workspace_id = ${workspaceId} and i.rfc_message_id = ${mailIdKey(answered)}`);
  const threadId = found?.threadId ?? null;
  if (threadId === null) return null;
  const newest = await tx.maybe<{ sha256: string }>(sql`
    select r.sha256
    from mailbox_mails b
    join raw_mails r on r.workspace_id = ${workspaceId} and r.id = b.raw_mail_id
    where b.workspace_id = ${workspaceId} and b.mailbox_id = ${mailboxId} and b.thread_id = ${threadId}
    order by b.raw_mail_id desc
    limit 1`);
  return { id: threadId, newestSha256: newest?.sha256 ?? null };
}

/** Stores the draft that is about to be sent. Throws if a later attempt has the mail: then this one sends nothing. */
export async function noteDraft(tx: Tx, { workspaceId, messageId, attempt }: Attempt, draftId: string): Promise<void> {
  const noted = await tx.run(sql`
    update mailbox_sends s set draft_id = ${draftId}
    from messages m
    where s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
      and m.workspace_id = ${workspaceId} and m.id = ${messageId}
      and m.delivery_status = 'sending' and m.delivery_attempts = ${attempt}`);
  if (noted === 0) throw new Error('another attempt has taken the mail over');
}

/**
 * Records that the outcome is unknown. The mail stays in `sending`, and its mailbox is asked later.
 * @returns false if a later attempt has the mail
 */
export async function noteUnsure(
  tx: Tx,
  { workspaceId, messageId, attempt }: Attempt,
  { error, nextAttemptAt }: { error: string; nextAttemptAt: Date },
): Promise<boolean> {
  const noted = await tx.run(sql`
    update messages
    set delivery_error = ${error}, delivery_next_attempt_at = ${nextAttemptAt}
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'sending'
      and delivery_attempts = ${attempt}`);
  if (noted === 0) return false;
  await tx.run(sql`
    update mailbox_sends set unsure_since = coalesce(unsure_since, ${tx.now})
    where workspace_id = ${workspaceId} and message_id = ${messageId}`);
  return true;
}

/**
 * Records that the mail did not leave, so that it may be handed over again.
 * Throws if a later attempt has the mail.
 * @param draftId the draft that the earlier attempt left behind
 */
export async function beginAnew(tx: Tx, { workspaceId, messageId, attempt }: Attempt, draftId: string | null) {
  const begun = await tx.run(sql`
    update messages set handing_over_at = null
    where workspace_id = ${workspaceId} and id = ${messageId} and delivery_status = 'sending'
      and delivery_attempts = ${attempt}`);
  if (begun === 0) throw new Error('another attempt has taken the mail over');
  await tx.run(sql`
    update mailbox_sends set unsure_since = null, draft_id = ${draftId}
    where workspace_id = ${workspaceId} and message_id = ${messageId}`);
}
