import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../lib/ids.ts';
import { findMailbox, type Mailbox } from '../mailboxes/queries.ts';
import { mailIdKey } from '../messages/mail-ids.ts';

/** An answer's way out through a mailbox. */
export type MailboxSend = {
  mailbox: Mailbox;
  /** The provider's thread that it continues. */
  thread: Thread | null;
  draftId: string | null;
  /** When an earlier attempt began to hand it over: whether it left is to be asked before it is sent. */
  handedOverAt: string | null;
  /** Since when that is not known and nobody sends it any more. */
  unsureSince: string | null;
};

type Thread = {
  id: string;
  /** Of the newest raw mail in it, if any is here. */
  newestSha256: string | null;
};

type Named = { workspaceId: WorkspaceId; messageId: MessageId };
type Attempt = Named & { attempt: number };

/** What the mailboxes have to do with an answer that is being claimed. */
export type MailboxClaim = {
  /** The ticket's, unless it is disconnected. */
  ticketMailboxId: string | null;
  /** Through which an earlier attempt went. */
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
 * Settles which way a claimed answer goes: through its ticket's mailbox, or that to which it was being handed over, for only
 * there can be asked what became of it. @returns null where it goes by SMTP
 */
export async function takeMailboxWay(
  tx: Tx,
  { workspaceId, messageId }: Named,
  claim: MailboxClaim,
  { handedOverAt, answered }: Pick<MailboxSend, 'handedOverAt'> & { answered: string | null },
): Promise<MailboxSend | null> {
  const mailboxId = handedOverAt === null ? claim.ticketMailboxId : claim.triedMailboxId;
  if (mailboxId === null) {
    // Else it would seem to have been handed over to a mailbox, once SMTP has it.
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

/** The thread in which the mailbox has the mail that is answered. */
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

/** Keeps the draft that is going to be sent. Throws when a later attempt has the mail: then this one sends nothing. */
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
 * Notes that nobody knows whether the mail left: it is still being sent, and its mailbox is to be asked.
 * @returns whether it was this attempt's to say
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
 * Notes that the mail did not leave, so that it may be handed over anew.
 * @param draftId the draft that is left of the attempt before
 * Throws when a later attempt has the mail.
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
