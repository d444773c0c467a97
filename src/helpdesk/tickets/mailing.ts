import { limitNewRecipients, type Mailed } from '../../access/workspaces/limit-recipients.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { keepPlans } from '../../ground/database/keep-plans.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { ContactId, MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { gatherContacts } from '../contacts/gather.ts';
import type { MailPerson } from '../contacts/name-claim.ts';
import type { NewMessage, ScheduledAs } from '../messages/insert-message.ts';
import { queueDelivery } from '../messages/queue-delivery.ts';
import type { AllRecipients } from '../messages/recipients.ts';
import { scheduleDaysMax } from '../messages/scheduled-schema.ts';

/** How a new message goes out. All fields are empty for a message that is not mailed. */
export type Mailing = AllRecipients & {
  isMailed: boolean;
  contactIds: ContactId[];
  /** Whether an address is of a contact that was merged into another one. */
  isToMerged: boolean;
  runAt: Date | undefined;
  /** Missing if it leaves at once, or after the seconds in which it can be undone. */
  scheduled?: ScheduledAs | undefined;
};

export const notMailed: Mailing = {
  ...{ to: [], cc: [], bcc: [] },
  isMailed: false,
  contactIds: [],
  isToMerged: false,
  runAt: undefined,
};

/** When a message is to leave. */
export type SendTime = {
  /** How long the mail is held back, so that it can be cancelled. */
  sendAfterSeconds?: number | undefined;
  /** The time for which it is scheduled. */
  sendAt?: string | undefined;
  /** Whether a mail of a customer that comes before cancels it. */
  unlessReplied?: boolean | undefined;
};

type MailingOptions = Pick<Mailed, 'ticketId' | 'mailboxId'> & SendTime;

/** Throws 400 if the message is to leave at a time nevertheless. */
export function unmailed({ sendAt }: SendTime): Mailing {
  if (sendAt !== undefined) throw invalidRequest({ path: 'body.sendAt', key: 'not_mailed' });
  return notMailed;
}

/** Throws 400 unless the time is in the days to come. */
export function scheduleTimeOf(now: Date, sendAt: string): Date {
  const at = new Date(sendAt);
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs > 0 && aheadMs <= scheduleDaysMax * 86_400_000) return at;
  throw invalidRequest({ path: 'body.sendAt', key: 'not_within_days', params: { days: scheduleDaysMax } });
}

function sendTimeOf(now: Date, { sendAfterSeconds, sendAt }: SendTime): Date | undefined {
  if (sendAt === undefined) return sendAfterSeconds ? new Date(now.getTime() + sendAfterSeconds * 1000) : undefined;
  if (sendAfterSeconds !== undefined) throw invalidRequest({ path: 'body.sendAt', key: 'not_with_seconds' });
  return scheduleTimeOf(now, sendAt);
}

/** Each one waits as a job, and all of a workspace are one list. */
const scheduledMax = 1_000;

/** Throws 409 if many messages of the workspace are scheduled. Those that come at once may exceed it by a few. */
async function limitScheduled(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from messages m
    where m.workspace_id = ${workspaceId} and m.delivery_status = 'scheduled'
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}`);
  if (count >= scheduledMax) throw new AppError('message.too_many_scheduled', { max: scheduledMax });
}

/**
 * Creates contacts for the recipients, so that their answers come from known people.
 * Throws 429 if too many recipients are new to the workspace.
 */
export async function prepareMailing(
  tx: Tx,
  workspaceId: WorkspaceId,
  { to, cc, bcc, ticketId, mailboxId, ...time }: AllRecipients & MailingOptions,
): Promise<Mailing> {
  const emails = [...to, ...cc, ...bcc];
  const runAt = sendTimeOf(tx.now, time);
  const { sendAt, unlessReplied = true } = time;
  const isScheduled = sendAt !== undefined;
  await together([
    keepPlans(tx),
    limitNewRecipients(tx, { workspaceId, emails, ticketId, mailboxId }),
    isScheduled && limitScheduled(tx, workspaceId),
  ]);
  const people = emails.map((email): MailPerson => ({ email, name: null, claim: null }));
  const contacts = await gatherContacts(tx, workspaceId, people);
  return {
    ...{ to, cc, bcc },
    isMailed: true,
    contactIds: [...contacts.values()].map(({ id }) => id),
    isToMerged: [...contacts].some(([key, { email }]) => key !== caseKey(email)),
    runAt,
    ...(isScheduled && { scheduled: { unlessReplied, quote: 'none' } }),
  };
}

/** Whether a message that goes out answers the person who asked. */
export function answers({ isMailed, to, cc, bcc }: Mailing, requester: { email: string } | null): boolean {
  if (!isMailed) return true;
  return requester !== null && [...to, ...cc, ...bcc].map(caseKey).includes(caseKey(requester.email));
}

/** The fields of a message that describe its mailing. */
export function mailedFields({ isMailed, to, cc, bcc, runAt, scheduled }: Mailing) {
  return {
    toAddresses: to,
    ccAddresses: cc,
    bccAddresses: bcc,
    deliveryStatus: scheduled ? 'scheduled' : isMailed ? 'queued' : null,
    deliveryNextAttemptAt: runAt,
    scheduled,
  } satisfies Partial<NewMessage>;
}

/** Queues the mail in the transaction that writes the message, so that both commit or neither. */
export async function queueMailing(
  tx: Tx,
  { isMailed, runAt }: Mailing,
  named: { workspaceId: WorkspaceId; messageId: MessageId },
): Promise<void> {
  if (isMailed) await queueDelivery(tx, { ...named, runAt });
}
