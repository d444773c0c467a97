import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Sweep } from '../../ground/database/sweep.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { keysOfAddress } from './limits.ts';
import type { MachineMailKind, Withheld } from './withheld.ts';

/** How long the log tells what was sent and withheld. The limits need a day of it. */
export const logDaysMax = 30;

type LoggedMail = {
  kind: MachineMailKind;
  autoReplyId?: string | undefined;
  mailboxId: string | null;
  ticketId: TicketId;
  /** The message that it answers. */
  messageId: MessageId;
  to: string;
} & ({ replyId: MessageId } | { withheld: Withheld });

/** Notes a mail that a machine wrote, for the limits too, or one that it withheld. */
export async function logMachineMail(tx: Tx, workspaceId: WorkspaceId, mail: LoggedMail): Promise<void> {
  const { kind, autoReplyId = null, mailboxId, ticketId, messageId, to } = mail;
  const { addressKey, patternKey } = keysOfAddress(to);
  const replyId = 'replyId' in mail ? mail.replyId : null;
  const withheld = 'withheld' in mail ? mail.withheld : null;
  await tx.run(sql`
    insert into auto_reply_log (workspace_id, id, kind, auto_reply_id, mailbox_id, ticket_id, message_id, reply_id,
      address_key, pattern_key, withheld, created_at)
    values (${workspaceId}, ${tx.newId()}, ${kind}, ${autoReplyId}, ${mailboxId}, ${ticketId}, ${messageId}, ${replyId},
      ${addressKey}, ${patternKey}, ${withheld}, ${tx.now})`);
}

export const sweepMachineMails: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from auto_reply_log
    where (workspace_id, id) in (
      select workspace_id, id from auto_reply_log
      where created_at < ${tx.now}::timestamptz - make_interval(days => ${logDaysMax})
      limit ${rowsMax})`);
