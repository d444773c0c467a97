import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { mailIdKey } from '../../helpdesk/messages/mail-ids.ts';
import { findMailbox, type Mailbox } from '../../mail/mailboxes/queries.ts';
import { chooseMailbox, chooseSmtp, type DeliveryKey } from './write.ts';

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
  /** An agent sends it again. */
  isRetry: boolean;
};

type Thread = {
  id: string;
  /** The newest raw mail of the thread that is stored here, if any. */
  newestSha256: string | null;
};

/** The mailboxes' data about an answer that is being claimed. */
export type MailboxClaim = {
  /** The ticket's mailbox, unless it is disconnected. */
  ticketMailboxId: string | null;
  /** Whether the ticket has a mailbox, also a disconnected one. */
  isOfMailbox: boolean;
  /** The mailbox of an earlier attempt. */
  triedMailboxId: string | null;
  draftId: string | null;
  unsureSince: string | null;
  isRetry: boolean;
};

export function readMailboxClaim(
  tx: Tx,
  { workspaceId, messageId, ticketId }: DeliveryKey & { ticketId: TicketId },
): Promise<MailboxClaim> {
  return tx.one<MailboxClaim>(sql`
    select b.id as "ticketMailboxId", t.mailbox_id is not null as "isOfMailbox", s.mailbox_id as "triedMailboxId",
      s.draft_id as "draftId", s.unsure_since as "unsureSince", coalesce(s.is_retry, false) as "isRetry"
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
  { workspaceId, messageId }: DeliveryKey,
  claim: MailboxClaim,
  { handedOverAt, answered }: Pick<MailboxSend, 'handedOverAt'> & { answered: string | null },
): Promise<MailboxSend | null> {
  const mailboxId = handedOverAt === null ? claim.ticketMailboxId : claim.triedMailboxId;
  if (mailboxId === null) {
    if (claim.triedMailboxId !== null) await chooseSmtp(tx, { workspaceId, messageId });
    return null;
  }
  const [mailbox, thread] = await together([
    findMailbox(tx, { workspaceId, mailboxId }),
    answered === null ? null : findThread(tx, { workspaceId, mailboxId, answered }),
    chooseMailbox(tx, { workspaceId, messageId }, { mailboxId, isUnsure: handedOverAt !== null }),
  ]);
  if (mailbox === undefined) throw new Error('a mailbox that has sent is gone');
  const draftId = claim.triedMailboxId === mailboxId ? claim.draftId : null;
  const { unsureSince, isRetry } = claim;
  return { mailbox, thread, draftId, handedOverAt, unsureSince, isRetry };
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
