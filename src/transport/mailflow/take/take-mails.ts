import { type Tx, together } from '../../../ground/database/db.ts';
import { keepPlans } from '../../../ground/database/keep-plans.ts';
import type { MessageId, TicketId } from '../../../ground/lib/ids.ts';
import type { Config } from '../../../ground/settings/config.ts';
import { gatherContacts } from '../../../helpdesk/contacts/gather.ts';
import type { MailPerson } from '../../../helpdesk/contacts/name-claim.ts';
import { findErasedMails } from '../../../helpdesk/erasures/erased-mails.ts';
import { eraseCopies, eraseSettledMails } from '../../../helpdesk/messages/erase-raw-mails.ts';
import { awaitIngestTurn } from '../../../helpdesk/messages/ingest-turn.ts';
import { renewWatches } from '../../../mail/mailboxes/renew-watches.ts';
import { withdrawScheduled } from '../../deliveries/scheduled.ts';
import { isOfThisMail } from '../mail-faults.ts';
import { type OwnAddresses, readOwnAddresses, withChosen } from '../own-addresses.ts';
import { findTakenMails, lockPendingMails, type MailSource, settleRawMails, type Verdict } from '../raw-mails.ts';
import type { Stores } from '../stores.ts';
import type { PreparedMail, UnderstoodMail } from '../understand.ts';
import { findBlockedWriters } from './blocked-writers.ts';
import { type Forwards, findForwards } from './forwards.ts';
import { findNewestOfThreads, threadKey } from './provider-threads.ts';
import { peopleToMeet } from './received-mail.ts';
import { withWriter } from './relayed-mail.ts';
import { settleTicket } from './settle-ticket.ts';
import { erasedMail, knownOutcome, type MailBatch, type Outcome, takeMail } from './take-mail.ts';
import { readTicketDefaults } from './ticket-defaults.ts';

/** Notes the outcomes of mails, in the transaction that takes them. */
export type NoteTaken = (tx: Tx, outcomes: readonly Outcome[]) => Promise<void>;

/**
 * Ingests prepared mails in one transaction. A lock allows one such transaction per workspace at a time. So two mails
 * of a conversation never make two tickets, and a mail from two sources is taken once.
 * @param note runs last in the transaction
 */
export async function takeMails(
  { db, blobs, config }: Stores,
  { workspaceId, choices }: Pick<MailSource, 'workspaceId' | 'choices'>,
  prepared: readonly PreparedMail[],
  note?: NoteTaken,
): Promise<Outcome[]> {
  if (prepared.length === 0) return [];
  const own = withChosen(await readOwnAddresses(db, workspaceId, config.mailFrom), choices?.ownAddresses ?? []);
  const written = prepared.map((mail) => ('reason' in mail ? mail : withWriter(mail, own)));
  const take = (pace: MailBatch['pace']) =>
    db.tx(async (tx) => {
      const outcomes = await takeInTurn(tx, written, {
        workspaceId,
        blobs,
        own,
        choices,
        pace,
        authSecret: config.authSecret,
      });
      await together(askForAliases(tx, workspaceId, { prepared: written, own }));
      await note?.(tx, outcomes);
      return outcomes;
    });
  try {
    return await take('at-once');
  } catch (error) {
    if (!isOfThisMail(error)) throw error;
    return take('one-by-one');
  }
}

type TurnParts = Pick<MailBatch, 'workspaceId' | 'blobs' | 'own' | 'choices' | 'pace'> & Pick<Config, 'authSecret'>;

async function takeInTurn(
  tx: Tx,
  prepared: readonly PreparedMail[],
  { workspaceId, blobs, own, choices, pace, authSecret }: TurnParts,
): Promise<Outcome[]> {
  const ids = prepared.map(({ raw }) => raw.id);
  const fingerprints = prepared.flatMap((mail) => [
    mail.fingerprint,
    ...('reason' in mail || mail.rebuiltFingerprint === null ? [] : [mail.rebuiltFingerprint]),
  ]);
  // Each statement sees all earlier commits. So the two reads see everything that the lock waited for.
  const [, , pending, taken, defaults, threads, whyBlocked, erased, forwards] = await together([
    keepPlans(tx),
    awaitIngestTurn(tx, workspaceId),
    lockPendingMails(tx, workspaceId, ids),
    findTakenMails(tx, workspaceId, fingerprints),
    readTicketDefaults(tx, workspaceId, prepared),
    findNewestOfThreads(tx, workspaceId, prepared),
    findBlockedWriters(tx, workspaceId, { prepared, own }),
    findErasedMails(tx, workspaceId, { mails: prepared.flatMap(waitingMail), authSecret }),
    findForwards(tx, workspaceId, { prepared, own }),
  ]);
  // Mail that was deleted for good brings nobody back.
  const isGone = (mail: PreparedMail) => taken.get(mail.fingerprint) === null || erased.has(mail.raw.id);
  const people = prepared.flatMap((mail) =>
    'reason' in mail || isGone(mail) || !pending.has(mail.raw.id)
      ? []
      : [...peopleWithClaims(mail, own), ...forwardedPerson(mail, forwards)],
  );
  const batch: MailBatch = {
    ...{ tx, workspaceId, blobs, own, choices, pace },
    ...{ defaults, taken, threads, whyBlocked, forwards },
    contacts: await gatherContacts(tx, workspaceId, people),
    writes: [],
  };
  const outcomes: Outcome[] = [];
  const verdicts: Verdict[] = [];
  // Tickets whose summary must be brought up to date.
  const touched = new Set<TicketId>();
  const replies = new Map<TicketId, MessageId>();
  for (const mail of prepared) {
    if (!pending.has(mail.raw.id)) {
      outcomes.push(knownOutcome);
      continue;
    }
    const isErased = erased.has(mail.raw.id) && !taken.has(mail.fingerprint);
    const { outcome, verdict, ticketId, repliedBy } = isErased ? erasedMail : await takeMail(batch, mail);
    outcomes.push(outcome);
    verdicts.push({ ...verdict, rawMailId: mail.raw.id, fingerprint: mail.fingerprint });
    if (verdict.state !== 'duplicate') taken.set(mail.fingerprint, verdict.messageId);
    const { hosted } = mail.raw;
    if (hosted?.threadId != null && verdict.messageId !== null && leadsThread(batch, mail, threadKey(hosted)))
      threads.set(threadKey(hosted), verdict.messageId);
    if (ticketId !== null) touched.add(ticketId);
    if (repliedBy !== undefined && ticketId !== null) replies.set(ticketId, repliedBy);
  }
  await together([
    ...batch.writes,
    settleRawMails(tx, workspaceId, verdicts),
    withdrawScheduled(tx, workspaceId, replies),
    ...[...touched].map((ticketId) => settleTicket(tx, workspaceId, ticketId)),
  ]);
  await eraseTaken(tx, workspaceId, { erased, verdicts });
  return outcomes;
}

/** Erases the mails of people who were erased, and the bytes of copies. */
async function eraseTaken(
  tx: Tx,
  workspaceId: TurnParts['workspaceId'],
  { erased, verdicts }: { erased: ReadonlySet<string>; verdicts: readonly Verdict[] },
): Promise<void> {
  if (erased.size > 0) await eraseSettledMails(tx, workspaceId, [...erased]);
  const copies = verdicts.filter(({ state, messageId }) => state === 'duplicate' && messageId === null);
  if (copies.length > 0) await eraseCopies(tx, workspaceId, copies);
}

/**
 * Has the addresses of a mailbox read anew if its new mail names an unknown address of our domain. The renewal of its
 * watches reads them.
 */
function askForAliases(
  tx: Tx,
  workspaceId: TurnParts['workspaceId'],
  { prepared, own: { isOwn, isOwnDomain } }: { prepared: readonly PreparedMail[]; own: OwnAddresses },
): Promise<void>[] {
  const named = prepared.flatMap((mail) => {
    if ('reason' in mail || mail.raw.origin === 'import' || mail.raw.hosted === null) return [];
    const isNew = [...mail.toAddresses, ...mail.ccAddresses].some((email) => isOwnDomain(email) && !isOwn(email));
    return isNew ? [mail.raw.hosted.mailboxId] : [];
  });
  return [...new Set(named)].map((mailboxId) => renewWatches(tx, { workspaceId, mailboxId }));
}

/** Only an import claims names. */
function peopleWithClaims(mail: UnderstoodMail, own: OwnAddresses): MailPerson[] {
  const met = peopleToMeet(mail, own);
  return mail.raw.origin === 'import' ? met : met.map((person) => ({ ...person, claim: null }));
}

/** The person who wrote the mail that a member forwards. */
function forwardedPerson({ raw, forwarded }: UnderstoodMail, forwards: Forwards): MailPerson[] {
  return forwarded !== null && forwards.has(raw.id) ? [{ ...forwarded.from, claim: null }] : [];
}

/** Of an unreadable mail, only the envelope names the writer. The mail inside a member's mail has another writer. */
function waitingMail(mail: PreparedMail): { id: string; writer: string; receivedAt: Date }[] {
  const { id, receivedAt, envelope } = mail.raw;
  const writers = 'reason' in mail ? [envelope.from] : [mail.from?.email, mail.forwarded?.from.email];
  return writers.flatMap((writer) => (writer == null ? [] : [{ id, writer, receivedAt }]));
}

/** Whether later mail of a provider's thread follows this mail. A blocked writer does not take a thread over. */
function leadsThread({ whyBlocked, threads }: MailBatch, mail: PreparedMail, key: string): boolean {
  return whyBlocked(mail) === null || !threads.has(key);
}
