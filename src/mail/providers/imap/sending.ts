/** Sends mail through the SMTP account of a mailbox, and files its copy in the folder for sent mail. */

import { ownIdHeader } from '@kontor/mail/message-ids.ts';
import type { ImapFlow } from 'imapflow';
import { gatherBytes } from '../../../ground/lib/join-bytes.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type {
  HostedMail,
  MailServer,
  ProviderAccount,
  SendSteps,
  SentCopy,
  SentCopyWay,
  ServerAccess,
} from '../../provider.ts';
import { ProviderFault, type ServerRefusal } from '../../provider-fault.ts';
import type { SendRefusal } from '../../transport.ts';
import { maskSecret } from '../mask-secret.ts';
import { openSubmission } from '../smtp.ts';
import { addressOf, assertDone, examine, type ImapSession, type ReachHost, searchUids } from './connection.ts';
import { aborted, isTlsError, mailBytesMax, tlsSentence } from './faults.ts';

export type Filing = { session: ImapSession; access: ServerAccess };
type Sending = Filing & { reach: ReachHost };

export async function sendMail(sending: Sending, mail: HostedMail, steps: SendSteps): Promise<SentCopy | null> {
  const { access, reach } = sending;
  const server = await access.server();
  const raw = await gatherBytes(mail.whole(), mailBytesMax);
  if (raw === undefined) throw new ProviderFault('refused', 'too_large', `Mails have ${mailBytesMax} bytes at most.`);
  const { smtp, username, secret } = server;
  const transport = openSubmission({ ...smtp, ...(await addressOf(smtp, reach)), username, secret });
  try {
    const { sender: envelopeFrom, recipients, rfcMessageId } = mail;
    const outgoing = { envelopeFrom, recipients: [...recipients], raw, beforeContent: steps.beforeSend };
    const { signal } = access;
    const outcome = await transport.send({ ...outgoing, ...(signal !== undefined && { signal }) });
    if (!outcome.ok && signal?.aborted) throw aborted({ mayHaveHappened: outcome.mayHaveLeft === true });
    if (!outcome.ok) throw faultFrom(mail.sender, { ...outcome, reason: maskSecret(outcome.reason, server) }, server);
    if (outcome.refused !== undefined) steps.onRefused?.(outcome.refused);
    const way = wayOf(server);
    if (way === 'auto' || way === 'append')
      steps.onUnfiled?.({ rfcMessageId, raw, mayBeFiledBy: way === 'auto' ? 'server' : 'us' });
    return null;
  } finally {
    await transport.close();
  }
}

/** A server that refuses one alias goes on sending from the mailbox's own address. */
function faultFrom(sender: string, refused: SendRefusal, { address }: MailServer): ProviderFault {
  const isOfAlias = refused.isOfSender === true && !refused.mayHaveLeft && caseKey(sender) !== caseKey(address);
  if (!isOfAlias) return sendFault(refused);
  const sentence = `The SMTP server does not let this account send from ${sender}. ${refused.reason}`;
  return new ProviderFault('refused', 'from_refused' satisfies ServerRefusal, sentence);
}

/** RFC 4954: the sign-in is refused for good. Also what servers answer that want no password at all. */
const loginRefusals = new Set(['530', '534', '535', '538']);

export function sendFault(refusal: SendRefusal): ProviderFault {
  const { permanent, mayHaveLeft, isOfSender, isOfRecipients, code, reason } = refusal;
  if (mayHaveLeft) return new ProviderFault('unavailable', code, reason, { mayHaveHappened: true });
  if (loginRefusals.has(code) && !isOfRecipients) {
    const sentence = `The SMTP server refuses the user name or the password: connect the mailbox again. ${reason}`;
    return new ProviderFault('unauthorized', 'smtp_login', sentence);
  }
  if (isOfSender) {
    const why = "The SMTP server does not let this account send from the mailbox's address";
    const sentence = `${why}: allow it there. ${reason}`;
    return new ProviderFault('forbidden', 'from_refused' satisfies ServerRefusal, sentence, { evidence: 'final' });
  }
  if (isTlsError(code)) return new ProviderFault('forbidden', 'tls', tlsSentence('SMTP', reason));
  return new ProviderFault(permanent ? 'refused' : 'unavailable', code, reason);
}

/** Who files the copy. `auto`: that is to be found out. */
function wayOf({ sentPath, sentCopy, sentCopyLearned }: MailServer): SentCopyWay {
  if (sentPath === null) return 'none';
  return sentCopy === 'auto' ? (sentCopyLearned ?? 'auto') : sentCopy;
}

export async function fileSentCopy(
  { session, access }: Filing,
  { rfcMessageId, raw }: { rfcMessageId: string; raw: Buffer },
  { isLastLook }: { isLastLook: boolean },
): Promise<boolean> {
  const server = await access.server();
  const way = wayOf(server);
  const { sentPath } = server;
  if (sentPath === null || way === 'none' || way === 'server') return true;
  if ((await session.use((client) => findCopy(client, sentPath, rfcMessageId))) !== undefined) {
    // A copy that we filed before we died looks the same, so only the first looks tell whose it is.
    if (way === 'auto' && !isLastLook) await access.learnSentCopy('server');
    return true;
  }
  if (way === 'auto' && !isLastLook) return false;
  await session.use(async (client) => {
    const filed = await client.append(sentPath, raw, ['\\Seen']);
    assertDone(client, filed, () => new ProviderFault('refused', 'append', 'The IMAP server refuses the copy.'));
  });
  if (way === 'auto') await access.learnSentCopy('append');
  return true;
}

/** @returns the mail's UID and the folder's UIDVALIDITY */
async function findCopy(
  client: ImapFlow,
  path: string,
  rfcMessageId: string,
): Promise<{ uid: number; uidValidity: string } | undefined> {
  const { uidValidity } = await examine(client, path);
  for (const name of ['message-id', ownIdHeader.toLowerCase()]) {
    const [uid] = await searchUids(client, { header: { [name]: rfcMessageId } });
    if (uid !== undefined) return { uid, uidValidity };
  }
  return undefined;
}

/** Only a server that files the copies itself shows whether a mail left. */
export async function findSentMail(
  { session, access }: Filing,
  { rfcMessageId }: Parameters<ProviderAccount['findSent']>[0],
): ReturnType<ProviderAccount['findSent']> {
  const { sentPath, sentCopy, sentCopyLearned } = await access.server();
  if (sentPath === null) return 'unknowable';
  const found = await session.use((client) => findCopy(client, sentPath, rfcMessageId));
  if (found !== undefined)
    return { providerId: `0.${found.uidValidity}.${found.uid}`, threadId: null, wireMessageId: rfcMessageId };
  return sentCopy === 'server' || sentCopyLearned === 'server' ? undefined : 'unknowable';
}
