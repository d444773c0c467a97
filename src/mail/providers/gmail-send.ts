/** Sends mail through Gmail, and finds out whether a mail left. */
import { randomUUID } from 'node:crypto';
import { ownIdHeader, readMessageIds } from '@kontor/mail/message-ids.ts';
import { gatherBytes } from '../../ground/lib/join-bytes.ts';
import type { HostedMail, ProviderAccount, SendSteps, SentCopy } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { afterQuery } from './gmail-changes.ts';
import { goneAsUndefined, messagePath } from './gmail-mail.ts';
import { type AskGmail, listOf, textOf } from './gmail-request.ts';
import { asObject } from './provider-request.ts';

/** The API's limit. */
const mailBytesMax = 36_700_160;
const uploadTimeoutMs = 120_000;

/**
 * Sends as an upload, which accepts a mail of any size as raw bytes. The plain request accepts only small mails in
 * base64.
 * Gmail reads the recipients from the header, and removes Bcc from every copy except the sender's.
 */
export async function sendMail(ask: AskGmail, mail: HostedMail, steps: SendSteps): Promise<SentCopy> {
  const raw = await gatherBytes(mail.whole({ namesBcc: true }), mailBytesMax);
  if (raw === undefined)
    throw new ProviderFault('refused', 'too_large', `Gmail takes mails of ${mailBytesMax} bytes at most.`);
  await steps.beforeSend();
  const sent = await upload(ask, raw, mail.threadId).catch((fault) => {
    // The thread was deleted for good, and nothing was sent. Without the thread id, the mail begins a new thread.
    if (mail.threadId !== null && isNotFound(fault) && !fault.mayHaveHappened) return upload(ask, raw, null);
    throw fault;
  });
  const providerId = textOf(sent.id);
  if (providerId === null)
    throw new ProviderFault('unavailable', 'no_id', 'Gmail took the mail and did not say under which id.', {
      mayHaveHappened: true,
    });
  // Gmail may have replaced our Message-ID with its own. The mail has left, even if this look-up fails.
  const { messageId } = (await idsOf(ask, providerId).catch(() => undefined)) ?? { messageId: null };
  return { providerId, threadId: textOf(sent.threadId), wireMessageId: messageId };
}

function isNotFound(fault: unknown): fault is ProviderFault {
  return fault instanceof ProviderFault && fault.kind === 'not-found';
}

function upload(ask: AskGmail, raw: Buffer, threadId: string | null): Promise<Record<string, unknown>> {
  const boundary = `kontor-${randomUUID()}`;
  const metadata = JSON.stringify(threadId === null ? {} : { threadId });
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${metadata}\r\n` +
    `--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n`;
  return ask({
    path: '/upload/gmail/v1/users/me/messages/send',
    query: [['uploadType', 'multipart']],
    method: 'POST',
    headers: { 'content-type': `multipart/related; boundary="${boundary}"` },
    body: Buffer.concat([Buffer.from(head), raw, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    timeoutMs: uploadTimeoutMs,
    sends: true,
  });
}

type Sought = Parameters<ProviderAccount['findSent']>[0];

/** Allows for a difference between this machine's clock and Google's. */
const clockMarginMs = 5 * 60_000;
/**
 * Gmail has filed a mail by then, or never will: an upload ends after two minutes. A look at every mail sent since
 * takes the whole quota of a busy mailbox, for hours. So does a look at mails that are taken already.
 */
const filedWithinMs = 30 * 60_000;

/**
 * Searches by our Message-ID, in case Gmail kept it. Otherwise looks for our own header in each mail sent then.
 * Includes deleted mail, because that mail left too.
 */
export async function findSentMail(
  ask: AskGmail,
  { rfcMessageId, threadId, since, findTaken }: Sought,
): Promise<SentCopy | undefined> {
  const before = Math.ceil((since.getTime() + filedWithinMs) / 1_000);
  const sentThen = `${afterQuery(new Date(since.getTime() - clockMarginMs))} before:${before}`;
  const byId = `rfc822msgid:${rfcMessageId}`;
  const looked = new Set<string>();
  for (const q of [byId, sentThen])
    for await (const page of sentMails(ask, q)) {
      if (q === sentThen) for (const id of await findTaken(page.map(({ providerId }) => providerId))) looked.add(id);
      const likelyFirst = page.toSorted((one, other) => rank(one, threadId) - rank(other, threadId));
      for (const candidate of likelyFirst) {
        if (looked.has(candidate.providerId)) continue;
        looked.add(candidate.providerId);
        const ids = await idsOf(ask, candidate.providerId).catch(goneAsUndefined);
        if (ids?.kontorId === rfcMessageId || ids?.messageId === rfcMessageId)
          return { ...candidate, wireMessageId: ids.messageId };
      }
    }
  return undefined;
}

type Candidate = { providerId: string; threadId: string | null };

function rank(candidate: Candidate, threadId: string | null): number {
  return candidate.threadId === threadId ? 0 : 1;
}

async function* sentMails(ask: AskGmail, q: string): AsyncGenerator<Candidate[]> {
  let pageToken: string | null = null;
  do {
    const page: Record<string, unknown> = await ask({
      path: '/gmail/v1/users/me/messages',
      query: [
        ['labelIds', 'SENT'],
        ['q', q],
        ['includeSpamTrash', 'true'],
        ...(pageToken === null ? [] : [['pageToken', pageToken] as const]),
      ],
    });
    yield listOf(page.messages).flatMap(({ id, threadId }) => {
      const providerId = textOf(id);
      return providerId === null ? [] : [{ providerId, threadId: textOf(threadId) }];
    });
    pageToken = textOf(page.nextPageToken);
  } while (pageToken !== null);
}

/** @returns the Message-ID that recipients see, and our own, both without brackets */
async function idsOf(
  ask: AskGmail,
  providerId: string,
): Promise<{ messageId: string | null; kontorId: string | null }> {
  const message = await ask({
    path: messagePath(providerId),
    query: [
      ['format', 'metadata'],
      ['metadataHeaders', 'Message-ID'],
      ['metadataHeaders', ownIdHeader],
    ],
  });
  const headers = listOf(asObject(message.payload)?.headers);
  const idIn = (name: string) => {
    const value = headers.find((header) => textOf(header.name)?.toLowerCase() === name.toLowerCase())?.value;
    return readMessageIds(textOf(value) ?? '')[0] ?? null;
  };
  return { messageId: idIn('Message-ID'), kontorId: idIn(ownIdHeader) };
}
