/** Fetches a mail from a Gmail mailbox. Its labels tell the folder, and whether to skip the mail. */

import { readAddresses } from '@kontor/mail/addresses.ts';
import { fieldOf, readHeaderBlock } from '@kontor/mail/header-fields.ts';
import { ownIdHeader } from '@kontor/mail/message-ids.ts';
import { addressBase } from '../../ground/lib/plus-address.ts';
import type { FetchedMail, FoundMail, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type AskGmail, labelsOf, textOf } from './gmail-request.ts';

type Skipped = Exclude<Awaited<ReturnType<ProviderAccount['fetch']>>, FetchedMail>;

const skippedLabels = [
  ['TRASH', 'deleted'],
  ['SPAM', 'junk'],
  ['DRAFT', 'draft'],
  ['CHAT', 'chat'],
] as const;

/** Gmail accepts mail of up to 50 MB, and base64 adds a third. */
const answerBytesMax = 80 * 1024 * 1024;
const largeMailTimeoutMs = 120_000;

export async function fetchMail(ask: AskGmail, { providerId }: FoundMail): Promise<FetchedMail | Skipped> {
  const message = await ask({
    path: messagePath(providerId),
    query: [['format', 'raw']],
    timeoutMs: largeMailTimeoutMs,
    answerBytesMax,
  }).catch(goneAsUndefined);
  if (message === undefined) return { skipped: 'missing' };
  const labels = labelsOf(message);
  const [, skipped] = skippedLabels.find(([label]) => labels.has(label)) ?? [];
  if (skipped !== undefined) return { skipped };
  const raw = Buffer.from(textOf(message.raw) ?? '', 'base64url');
  const receivedAt = new Date(Number(textOf(message.internalDate)));
  if (raw.length === 0 || !(receivedAt.getTime() > 0))
    throw new ProviderFault('unavailable', 'no_mail', 'Gmail answered without the mail.');
  const isFiled = !labels.has('INBOX') && !labels.has('SENT');
  const threadId = textOf(message.threadId);
  return { providerId, folder: folderOf(labels, raw), isFiled, threadId, receivedAt, raw };
}

export function messagePath(providerId: string): string {
  return `/gmail/v1/users/me/messages/${encodeURIComponent(providerId)}`;
}

export function goneAsUndefined(fault: unknown): undefined {
  if (fault instanceof ProviderFault && fault.kind === 'not-found') return undefined;
  throw fault;
}

/** Mail that is in neither folder now was in the inbox when the list named it. */
function folderOf(labels: ReadonlySet<unknown>, raw: Buffer): 'inbox' | 'sent' {
  if (!labels.has('SENT')) return 'inbox';
  return labels.has('INBOX') && isToItself(raw) ? 'inbox' : 'sent';
}

/**
 * Mail that a mailbox sends only to itself counts as incoming: a note, or a web form that sends through the mailbox.
 * With other recipients, the mail is an answer with a copy to the mailbox.
 */
function isToItself(raw: Buffer): boolean {
  const { fields } = readHeaderBlock(raw, 0, raw.length);
  // Our own answers never count as incoming.
  if (fieldOf(fields, ownIdHeader.toLowerCase()) !== null) return false;
  const basesOf = (...names: string[]) =>
    fields
      .filter(({ name }) => names.includes(name))
      .flatMap(({ value }) => readAddresses(value))
      .map(({ email }) => addressBase(email));
  const [sender] = basesOf('from');
  return basesOf('to', 'cc', 'bcc').every((recipient) => recipient === sender);
}
