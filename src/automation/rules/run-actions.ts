import { record } from '../../events/activity/record.ts';
import { ruleEvent } from '../../events/integrations/schema.ts';
import { sendChosen } from '../../events/integrations/send-chosen.ts';
import type { Automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, UserId } from '../../ground/lib/ids.ts';
import { findLocked } from '../../helpdesk/tickets/change.ts';
import { changeTicket } from '../../helpdesk/tickets/change-ticket.ts';
import type { Ticket, TicketChange } from '../../helpdesk/tickets/schema.ts';
import { factsBetween } from '../../helpdesk/tickets/ticket-change.ts';
import { changeOf } from '../../helpdesk/tickets/with-reply/run-actions.ts';
import { writeMessage } from '../../helpdesk/tickets/write-message.ts';
import { answerByMachine } from '../machine-mail/answer-by-machine.ts';
import type { Rule, RuleActions } from './schema.ts';

/** What a run did, in short: types of events, and what else there is. */
export type Did = { did: string[]; isMail: boolean };

type About = {
  ticketId: TicketId;
  factId: string | null;
  /** The message that the fact tells of, which a mail answers. */
  messageId: MessageId | null;
};

/** Does what a rule says with a ticket. Throws where the ticket or what the rule names does not allow it. */
export async function runActions(
  tx: Tx,
  by: Automation,
  rule: Pick<Rule, 'id' | 'name' | 'actions'>,
  { ticketId, factId, messageId }: About,
): Promise<Did> {
  const { spam, reply, note, notify, webhookId, ...changes } = rule.actions;
  const target = { ticketId, ifMatch: undefined };
  const before = await findLocked(tx, by, ticketId, { evenTrash: true });
  if (before === undefined) throw new AppError('ticket.not_found');
  let ticket = before;
  const did: string[] = [];
  const change = async (wanted: TicketChange): Promise<void> => {
    if (Object.keys(wanted).length === 0) return;
    const after = await changeTicket(tx, by, target, wanted);
    did.push(...factsBetween(ticket, after).map(({ type }) => type));
    ticket = after;
  };
  const { requester: _requester, ...wanted } = await changeOf(tx, by, changes, goneFault);
  await change({ ...wanted, ...(spam === false && { spam }) });
  let isMail = false;
  if (reply !== undefined) {
    const answer = { ticketId, messageId, savedReplyId: reply.savedReplyId, kind: 'rule' } as const;
    const answered = await answerByMachine(tx, by, answer);
    isMail = 'messageId' in answered;
    // Mail that the gate keeps back is no failure.
    did.push('withheld' in answered ? `no mail: ${answered.withheld}` : 'reply');
    ticket = (await findLocked(tx, by, ticketId, { evenTrash: true })) ?? ticket;
  }
  if (note !== undefined) {
    ticket = await writeNote(tx, by, { ticket, name: rule.name, note });
    did.push('note');
  }
  if (notify !== undefined && (await pointTo(tx, by, ticket, notify))) did.push('ticket.notified');
  if (webhookId !== undefined) {
    const { id, ticketNumber, status, priority, assigneeId, teamId } = ticket;
    const data = { ruleId: rule.id, ruleName: rule.name, eventId: factId };
    const told = { ...data, ticket: { id, ticketNumber, status, priority, assigneeId, teamId } };
    await sendChosen(tx, { workspaceId: by.workspaceId, webhookId }, { type: ruleEvent, data: told });
    did.push('webhook');
  }
  // Spam takes no other change, so it comes last.
  if (spam === true) await change({ spam });
  return { did, isMail };
}

function goneFault(action: string): AppError {
  return new AppError('rule.refers_to_missing', { path: `actions.${action}` });
}

type Note = { ticket: Ticket; name: string; note: string };

async function writeNote(tx: Tx, by: Automation, { ticket, name, note }: Note): Promise<Ticket> {
  const author = { type: 'system', name, email: null } as const;
  const on = { before: ticket, after: ticket };
  return (await writeMessage(tx, by, on, { direction: 'internal', author, body: note })).ticket;
}

/** @returns whether there is anybody to tell */
async function pointTo(
  tx: Tx,
  by: Automation,
  { id: ticketId, assigneeId }: Ticket,
  { assignee, teamId: named, userIds = [] }: NonNullable<RuleActions['notify']>,
): Promise<boolean> {
  const teamId = named ?? null;
  const assignees = assignee === true && assigneeId !== null ? [assigneeId] : [];
  const told = [...new Set<UserId>([...userIds, ...assignees])];
  if (told.length === 0 && teamId === null) return false;
  await record(tx, by, { ticketId, type: 'ticket.notified', data: { userIds: told, teamId } });
  return true;
}
