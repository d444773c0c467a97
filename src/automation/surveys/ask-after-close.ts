import { automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { writtenText } from '../../helpdesk/messages/written-text.ts';
import { type Asking, ask, isForTicket, isNotAskedLately } from '../../helpdesk/ratings/ask.ts';
import { customerWords } from '../../helpdesk/ratings/words.ts';
import { findLocked } from '../../helpdesk/tickets/change.ts';
import { writeMessage } from '../../helpdesk/tickets/write-message.ts';
import { mailingTo } from '../machine-mail/answer-by-machine.ts';
import { mayAnswerByMachine } from '../machine-mail/gate.ts';
import { logMachineMail } from '../machine-mail/log.ts';
import type { Planned } from './plan-survey.ts';

/**
 * Asks the customer of a closed ticket by a mail of its own, if the ticket is still closed and the gate lets the mail
 * pass. The question stands in the mail alone, as below an answer. Whatever keeps the mail from leaving, the plan ends.
 */
export async function askAfterClose(tx: Tx, { workspaceId, ticketId }: Planned): Promise<void> {
  const plan = await tx.maybe<{ surveyId: string }>(sql`
    delete from survey_plans where workspace_id = ${workspaceId} and ticket_id = ${ticketId} and due_at <= ${tx.now}
    returning survey_id as "surveyId"`);
  if (plan === undefined) return;
  const doer = automation(workspaceId, { kind: 'survey', id: plan.surveyId });
  const ticket = await findLocked(tx, doer, ticketId);
  if (ticket === undefined || ticket.status !== 'closed') return;
  const asking = await tx.maybe<Asking>(sql`
    select s.id as "surveyId", s.scale, s.question, s.language, c.id as "contactId", t.assignee_id as "userId",
      t.team_id as "teamId", t.mailbox_id as "mailboxId"
    from tickets t
    join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    join surveys s on s.workspace_id = ${workspaceId} and s.id = ${plan.surveyId} and ${isForTicket}
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(doer, 't')} and c.erased_at is null
      and ${isNotAskedLately(workspaceId, tx.now)}`);
  if (asking === undefined) return;
  const passed = await mayAnswerByMachine(tx, doer, { ticket, messageId: null, kind: 'survey' });
  if ('withheld' in passed) return;
  const mailing = await mailingTo(tx, doer, ticket, passed.to);
  if ('withheld' in mailing) return;
  const { body, bodyHtml } = writtenText(
    { body: customerWords[asking.language].closed(ticket.ticketNumber) },
    { mayBeEmpty: false, isMembers: false },
  );
  const { messageId } = await writeMessage(
    tx,
    doer,
    { before: ticket, after: ticket },
    {
      ...{ direction: 'outbound', author: { type: 'system', name: null, email: null } },
      ...{ body, bodyHtml, automaticKind: 'auto-reply', mailing },
    },
  );
  await ask(tx, { workspaceId, messageId }, asking);
  await logMachineMail(tx, workspaceId, {
    ...{ kind: 'survey', mailboxId: ticket.mailboxId, ticketId, messageId: passed.mail.id, to: passed.to },
    replyId: messageId,
  });
}
