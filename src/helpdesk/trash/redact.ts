import { audit } from '../../access/audit/audit.ts';
import { record } from '../../events/activity/record.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { forgetAnswers } from '../../ground/http/idempotency.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { recountStorage } from '../files/storage-quota.ts';
import { blankMessages } from '../messages/blank-messages.ts';
import { getMessage } from '../messages/queries.ts';
import type { StoredMessage } from '../messages/schema.ts';
import { lockTicket, saveTicket } from '../tickets/change.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import type { Ticket } from '../tickets/schema.ts';
import { summarise } from '../tickets/summary.ts';

type Redacted = { message: StoredMessage; ticket: Ticket };

/**
 * Takes the text, files and original mail of a message away for good. A stub stays, with who did it and when. A
 * repeated call changes nothing. Throws 404, and 409 while the message waits to be sent.
 */
export async function redactMessage(
  tx: Tx,
  actor: Actor,
  { ticketId, messageId, reason }: { ticketId: TicketId; messageId: MessageId; reason?: string | undefined },
): Promise<Redacted> {
  const { workspaceId, userId } = actor;
  const ticket = await lockTicket(tx, actor, { ticketId, ifMatch: undefined, evenSpam: true });
  const before = await tx.maybe<{ isRedacted: boolean; isLeaving: boolean; files: number }>(sql`
    select m.redacted_at is not null as "isRedacted",
      coalesce(m.delivery_status in ('scheduled', 'queued', 'sending'), false) as "isLeaving",
      (
        select count(*)::integer from attachments a where a.workspace_id = ${workspaceId} and a.message_id = m.id
      ) as files
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id = ${messageId}
      and ${ofVisible(actor, 'm.ticket_id')}
    for no key update of m`);
  if (before === undefined) throw new AppError('message.not_found');
  if (before.isRedacted) return { message: await getMessage(tx, actor, messageId), ticket };
  if (before.isLeaving) throw new AppError('message.not_sent_yet');
  await blankMessages(tx, workspaceId, { messageIds: [messageId], by: userId });
  const saved = await saveTicket(tx, workspaceId, ticket);
  const [summary, files] = await together([
    summarise(tx, workspaceId, ticketId),
    refreshTicketSearch(tx, workspaceId, ticketId),
    forgetAnswers(tx, workspaceId, [messageId, ticketId]),
    record(tx, actor, { ticketId, type: 'message.redacted', data: { messageId } }),
    audit(tx, actor, {
      type: 'ticket.message_redacted',
      subjectId: ticketId,
      data: { ticketNumber: ticket.ticketNumber, messageId, files: before.files, reason: reason ?? null },
    }),
    recountStorage(tx, workspaceId),
  ]);
  return { message: await getMessage(tx, actor, messageId), ticket: { ...saved, ...summary, ...files } };
}
