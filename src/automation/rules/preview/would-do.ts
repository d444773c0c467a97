import type { Actor } from '../../../ground/catalog/actor.ts';
import { automation } from '../../../ground/catalog/doer.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { nilId, type UserId, type WorkspaceId } from '../../../ground/lib/ids.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { shownTo, withTeamOfMailbox } from '../../../helpdesk/tickets/teams/team-of-ticket.ts';
import {
  applied,
  type ChangeWithContact,
  factsBetween,
  type TicketFact,
} from '../../../helpdesk/tickets/ticket-change.ts';
import { changeWith } from '../../../helpdesk/tickets/with-reply/run-actions.ts';
import { judgeMail } from '../../machine-mail/judge-mail.ts';
import { findMailOfRequester, readMailToAnswer, readOurAddresses } from '../../machine-mail/mail-to-answer.ts';
import type { RuleActions } from '../schema.ts';
import type { Moment } from './moments.ts';
import type { PreviewItem } from './schema.ts';

type WouldDo = NonNullable<PreviewItem['wouldDo']>;

/** What a run would do with the ticket of a moment, or for which error it would do nothing. Only reads. */
export async function wouldDo(tx: Tx, actor: Actor, actions: RuleActions, moment: Moment): Promise<WouldDo> {
  try {
    const { did, facts } = await plan(tx, actor, actions, moment);
    const mail = actions.reply === undefined ? null : await mailAt(tx, actor, moment);
    return { did, changes: facts, mail, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { did: [], changes: [], mail: null, error: error.key };
  }
}

async function plan(
  tx: Tx,
  { workspaceId }: Actor,
  { spam, reply: _reply, note, notify, webhookId, assignee, ...changes }: RuleActions,
  { at, ticket: then }: Moment,
): Promise<{ did: string[]; facts: TicketFact[] }> {
  const did: string[] = [];
  const facts: TicketFact[] = [];
  let ticket = then;
  const change = async (wanted: ChangeWithContact): Promise<void> => {
    if (Object.keys(wanted).length === 0) return;
    if (ticket.spamAt !== null && wanted.spam !== false) throw new AppError('ticket.spam');
    const after = applied(ticket, await withTeamOfMailbox(tx, workspaceId, ticket, wanted), at);
    await refuseOutsider(tx, workspaceId, { before: ticket, after });
    const made = factsBetween(ticket, after, { reason: wanted.reason });
    did.push(...made.map(({ type }) => type));
    facts.push(...made);
    ticket = after;
  };
  const assigneeId = assignee === undefined ? undefined : assignee === 'none' ? null : (assignee as UserId);
  await change({ ...changeWith(changes, assigneeId, at), ...(spam === false && { spam }) });
  if (note !== undefined) did.push('note');
  if (notify !== undefined && isToTell(notify, ticket)) did.push('ticket.notified');
  if (webhookId !== undefined) did.push('webhook');
  if (spam === true) await change({ spam });
  return { did, facts };
}

function isToTell({ assignee, teamId, userIds = [] }: NonNullable<RuleActions['notify']>, ticket: Ticket): boolean {
  return teamId !== undefined || userIds.length > 0 || (assignee === true && ticket.assigneeId !== null);
}

/** The part of `refuseOutside` that a read-only transaction can do. What takes tickets was looked up before. */
async function refuseOutsider(
  tx: Tx,
  workspaceId: WorkspaceId,
  { before, after }: Record<'before' | 'after', Ticket>,
): Promise<void> {
  const { teamId, assigneeId } = after;
  if (teamId === null || assigneeId === null || assigneeId === before.assigneeId) return;
  const shown = await shownTo(tx, workspaceId, after, [assigneeId]);
  if (shown.length === 0) throw new AppError('ticket.assignee_outside_team');
}

/** To whom a mail would leave, or why none would. The limits of a day are not asked. */
async function mailAt(tx: Tx, { workspaceId }: Actor, { ticket, told }: Moment): Promise<WouldDo['mail']> {
  const doer = automation(workspaceId, { kind: 'rule', id: nilId, depth: 1 });
  const messageId = told?.message.id ?? (await findMailOfRequester(tx, doer, ticket));
  const mail = messageId && (await readMailToAnswer(tx, doer, { ticketId: ticket.id, messageId }));
  if (!mail) return { to: null, withheld: 'not_mail' };
  const judged = judgeMail(mail, await readOurAddresses(tx, doer, mail));
  return 'to' in judged ? { to: judged.to, withheld: null } : { to: null, withheld: judged.withheld };
}
