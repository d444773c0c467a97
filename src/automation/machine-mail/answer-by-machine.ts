import type { Automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { SafeHtml } from '../../ground/lib/html/safe-html.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import type { NewAttachment } from '../../helpdesk/files/attach.ts';
import { type WrittenText, writtenText } from '../../helpdesk/messages/written-text.ts';
import { filesForMessage } from '../../helpdesk/replies/files.ts';
import { getSavedReply } from '../../helpdesk/replies/queries.ts';
import { renderReply } from '../../helpdesk/replies/render.ts';
import { readVariableValues } from '../../helpdesk/replies/variable-values.ts';
import type { VariableValues } from '../../helpdesk/replies/variables.ts';
import { findLocked } from '../../helpdesk/tickets/change.ts';
import { type Mailing, prepareMailing } from '../../helpdesk/tickets/mailing.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { writeMessage } from '../../helpdesk/tickets/write-message.ts';
import { mayAnswerByMachine, type Passed } from './gate.ts';
import { logMachineMail } from './log.ts';
import type { MachineMailKind, Withheld } from './withheld.ts';

export type MachineAnswer = {
  ticketId: TicketId;
  /** The message that asks for the answer. A rule may have none: it answers the newest mail of the requester. */
  messageId: MessageId | null;
  savedReplyId: string;
  kind: MachineMailKind;
  autoReplyId?: string;
};

export type AnsweredByMachine = { messageId: MessageId } | { withheld: Withheld };

/**
 * Answers a customer's mail with a saved reply, as mail that machines do not answer, if the gate lets it pass. The
 * answer changes nothing else: the customer still waits for a person. What keeps the mail from leaving is a reason, no
 * fault. The counts of the limits, the message and its delivery are one commit.
 */
export async function answerByMachine(tx: Tx, doer: Automation, answer: MachineAnswer): Promise<AnsweredByMachine> {
  const { ticketId, messageId, kind, autoReplyId } = answer;
  const ticket = await findLocked(tx, doer, ticketId);
  if (ticket === undefined) return { withheld: 'not_in_inbox' };
  const passed = await mayAnswerByMachine(tx, doer, { ticket, messageId, kind });
  if ('withheld' in passed) return passed;
  const rendered = await renderFor(tx, doer, { ticket, passed, savedReplyId: answer.savedReplyId });
  if ('withheld' in rendered) return rendered;
  const mailing = await mailingTo(tx, doer, ticket, passed.to);
  if ('withheld' in mailing) return mailing;
  const { text, files } = rendered;
  const written = await writeMessage(
    tx,
    doer,
    { before: ticket, after: ticket },
    {
      ...{ direction: 'outbound', author: { type: 'system', name: rendered.sender, email: null } },
      ...{ body: text.body, bodyHtml: text.bodyHtml, automaticKind: 'auto-reply', mailing, files },
    },
  );
  const { mailboxId } = ticket;
  const { id: answeredId } = passed.mail;
  await logMachineMail(tx, doer.workspaceId, {
    ...{ kind, autoReplyId, mailboxId, ticketId, messageId: answeredId, to: passed.to, replyId: written.messageId },
  });
  return { messageId: written.messageId };
}

type Rendered = { text: WrittenText; files: NewAttachment[]; sender: string | null };

/** The texts of a saved reply that all members share, with the values of the person who wrote. */
async function renderFor(
  tx: Tx,
  doer: Automation,
  { ticket, passed, savedReplyId }: { ticket: Ticket; passed: Passed; savedReplyId: string },
): Promise<Rendered | { withheld: Withheld }> {
  const reply = await orReason(getSavedReply(tx, doer, { savedReplyId, now: tx.now }), {
    'saved_reply.not_found': 'reply_missing',
  });
  if ('withheld' in reply) return reply;
  const { ticketNumber, subject, mailboxId } = ticket;
  const about = { ticketNumber, subject, mailboxId, email: passed.to, name: passed.mail.authorName };
  const values = await readVariableValues(tx, doer, about);
  const { body, bodyHtml, missing } = renderReply({ ...reply, subject: null }, values);
  if (missing.length > 0) return { withheld: 'variable_missing' };
  const html = reply.bodyHtml === null ? {} : { bodyHtml: new SafeHtml(bodyHtml) };
  const text = writtenText({ body, ...html }, { mayBeEmpty: true, isMembers: false });
  if (text.body === '' && text.bodyHtml === null) return { withheld: 'reply_missing' };
  return { text, files: filesForMessage(reply.attachments, bodyHtml), sender: nameOfSender(values) };
}

/** The name of the mailbox; null if it has none. */
function nameOfSender(values: VariableValues): string | null {
  const [name, address] = [values['mailbox.name'], values['mailbox.address']];
  return 'value' in name && 'value' in address && name.value !== address.value ? name.value : null;
}

/** To the writer alone. The answer brings nobody into the conversation. */
export async function mailingTo(
  tx: Tx,
  { workspaceId }: Automation,
  { id: ticketId }: Ticket,
  email: string,
): Promise<Mailing | { withheld: Withheld }> {
  const prepared = tx.savepoint(() => prepareMailing(tx, workspaceId, { to: [email], cc: [], bcc: [], ticketId }));
  const mailing = await orReason(prepared, { 'workspace.recipient_limit': 'recipient_limit' });
  return 'withheld' in mailing ? mailing : { ...mailing, contactIds: [] };
}

/** Turns faults with these keys into reasons. */
async function orReason<Result extends object>(
  work: Promise<Result>,
  reasons: Readonly<Record<string, Withheld>>,
): Promise<Result | { withheld: Withheld }> {
  try {
    return await work;
  } catch (error) {
    const withheld = error instanceof AppError ? reasons[error.key] : undefined;
    if (withheld === undefined) throw error;
    return { withheld };
  }
}
