import type { Automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { judgeMail } from './judge-mail.ts';
import { limitMachineMail } from './limits.ts';
import {
  canSendFor,
  findMailOfRequester,
  type MailToAnswer,
  readMailToAnswer,
  readOurAddresses,
} from './mail-to-answer.ts';
import type { MachineMailKind, Withheld } from './withheld.ts';

export type Passed = { mail: MailToAnswer; to: string };

/**
 * The one gate for mail that no person sends: whether a machine may answer now, which mail, and to whom. An automatic
 * reply answers the message that asks for it; a rule or a survey answers the newest mail of the requester. The caller
 * has locked the ticket, and logs what it sends in the same transaction.
 */
export async function mayAnswerByMachine(
  tx: Tx,
  doer: Automation,
  { ticket, messageId, kind }: { ticket: Ticket; messageId: MessageId | null; kind: MachineMailKind },
): Promise<Passed | { withheld: Withheld }> {
  if (ticket.spamAt !== null || ticket.mergedIntoId !== null) return { withheld: 'not_in_inbox' };
  const isOfTicket = kind === 'rule' || kind === 'survey';
  const answeredId = isOfTicket ? await findMailOfRequester(tx, doer, ticket) : messageId;
  const mail = answeredId && (await readMailToAnswer(tx, doer, { ticketId: ticket.id, messageId: answeredId }));
  if (!mail) return { withheld: 'not_mail' };
  const judged = judgeMail(mail, await readOurAddresses(tx, doer, mail));
  if ('withheld' in judged) return judged;
  const { mailboxId } = ticket;
  if (!(await canSendFor(tx, doer, mailboxId))) return { withheld: 'cannot_send' };
  const withheld = await limitMachineMail(tx, doer, { kind, mailboxId, to: judged.to });
  return withheld === null ? { mail, to: judged.to } : { withheld };
}
