import { limitNewRecipients, type Mailed } from '../../access/workspaces/limit-recipients.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { keepPlans } from '../../ground/database/keep-plans.ts';
import type { ContactId, MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { gatherContacts } from '../contacts/gather.ts';
import type { MailPerson } from '../contacts/name-claim.ts';
import type { NewMessage } from '../messages/insert-message.ts';
import { queueDelivery } from '../messages/queue-delivery.ts';
import type { AllRecipients } from '../messages/recipients.ts';

/** How a new message goes out. All fields are empty for a message that is not mailed. */
export type Mailing = AllRecipients & {
  isMailed: boolean;
  contactIds: ContactId[];
  /** Whether an address is of a contact that was merged into another one. */
  isToMerged: boolean;
  runAt: Date | undefined;
};

export const notMailed: Mailing = {
  ...{ to: [], cc: [], bcc: [] },
  isMailed: false,
  contactIds: [],
  isToMerged: false,
  runAt: undefined,
};

type MailingOptions = Pick<Mailed, 'ticketId' | 'mailboxId'> & {
  sendAfterSeconds?: number | undefined;
};

/**
 * Creates contacts for the recipients, so that their answers come from known people.
 * Throws 429 if too many recipients are new to the workspace.
 */
export async function prepareMailing(
  tx: Tx,
  workspaceId: WorkspaceId,
  { to, cc, bcc, ticketId, mailboxId, sendAfterSeconds = 0 }: AllRecipients & MailingOptions,
): Promise<Mailing> {
  const emails = [...to, ...cc, ...bcc];
  await together([keepPlans(tx), limitNewRecipients(tx, { workspaceId, emails, ticketId, mailboxId })]);
  const people = emails.map((email): MailPerson => ({ email, name: null, claim: null }));
  const contacts = await gatherContacts(tx, workspaceId, people);
  const runAt = sendAfterSeconds > 0 ? new Date(tx.now.getTime() + sendAfterSeconds * 1000) : undefined;
  return {
    ...{ to, cc, bcc },
    isMailed: true,
    contactIds: [...contacts.values()].map(({ id }) => id),
    isToMerged: [...contacts].some(([key, { email }]) => key !== caseKey(email)),
    runAt,
  };
}

/** Whether a message that goes out answers the person who asked. */
export function answers({ isMailed, to, cc, bcc }: Mailing, requester: { email: string } | null): boolean {
  if (!isMailed) return true;
  return requester !== null && [...to, ...cc, ...bcc].map(caseKey).includes(caseKey(requester.email));
}

/** The fields of a message that describe its mailing. */
export function mailedFields({ isMailed, to, cc, bcc, runAt }: Mailing) {
  return {
    toAddresses: to,
    ccAddresses: cc,
    bccAddresses: bcc,
    deliveryStatus: isMailed ? 'queued' : null,
    deliveryNextAttemptAt: runAt,
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
