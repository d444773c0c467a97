/** Finds and marks the copies of our mail in the drafts and the sent folder. */
import type { ProviderAccount, SentCopy } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { senseless } from './graph-faults.ts';
import { readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';

const fields = 'id,isDraft,internetMessageId,conversationId';
/**
 * Our own property, which marks the mails that we send. Exchange keeps it when it sends the draft, even if it replaces
 * the id and the Message-ID. A header does not work, because Graph shows no headers in Sent Items
 * (microsoft-graph-docs#18761).
 */
export const markId = 'String {8f5d4c1e-6b1c-4e0a-9f27-3a0c5b7d2e94} Name KontorMessageId';

/** Sets the Bcc recipients of a draft. Exchange shows them to no other recipient. */
export async function addBcc(requests: GraphRequests, draftId: string, bcc: readonly string[]): Promise<void> {
  if (bcc.length === 0) return;
  const json = { bccRecipients: bcc.map((address) => ({ emailAddress: { address } })) };
  await requests.ask(`/me/messages/${encodeURIComponent(draftId)}`, { method: 'PATCH', json });
}

/** Marks a draft as ours. If Graph refuses the property, then id and Message-ID must suffice. */
export async function markDraft(requests: GraphRequests, draftId: string, rfcMessageId: string): Promise<void> {
  const json = { singleValueExtendedProperties: [{ id: markId, value: rfcMessageId }] };
  try {
    await requests.ask(`/me/messages/${encodeURIComponent(draftId)}`, { method: 'PATCH', json });
  } catch (error) {
    if (!(error instanceof ProviderFault && error.kind === 'refused')) throw error;
  }
}

/** Reads a draft or its sent copy, which keeps the draft's id. @returns undefined if no mail has this id */
export async function readCopy(
  requests: GraphRequests,
  id: string,
): Promise<{ copy: SentCopy; isDraft: boolean } | undefined> {
  try {
    return copyIn(await requests.askJson(`/me/messages/${encodeURIComponent(id)}?$select=${fields}`));
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** @returns the id of this mail's draft from an attempt that was interrupted before it stored the id */
export async function findDraft(requests: GraphRequests, rfcMessageId: string): Promise<string | undefined> {
  const found = await findIn(requests, 'drafts', namedFilter(rfcMessageId));
  return found?.isDraft ? found.copy.providerId : undefined;
}

/**
 * Searches by the draft's id, which normally stays. Then by the Message-ID. Then by our mark, because Exchange may have
 * replaced the Message-ID.
 */
export async function findSent(
  requests: GraphRequests,
  { rfcMessageId, draftId }: Parameters<ProviderAccount['findSent']>[0],
): ReturnType<ProviderAccount['findSent']> {
  const kept = draftId === null ? undefined : await readCopy(requests, draftId);
  if (kept !== undefined) return kept.isDraft ? 'draft' : kept.copy;
  for (const filter of [namedFilter(rfcMessageId), markedFilter(rfcMessageId)]) {
    const sent = await findIn(requests, 'sentitems', filter);
    if (sent !== undefined) return sent.copy;
  }
  return (await findDraft(requests, rfcMessageId)) === undefined ? undefined : 'draft';
}

async function findIn(
  requests: GraphRequests,
  folder: 'drafts' | 'sentitems',
  filter: string,
): Promise<{ copy: SentCopy; isDraft: boolean } | undefined> {
  const query = new URLSearchParams({ $select: fields, $filter: filter });
  const { items } = await readPage(requests, `/me/mailFolders/${folder}/messages?${query}`);
  return items[0] && copyIn(items[0]);
}

function namedFilter(rfcMessageId: string): string {
  return `internetMessageId eq '<${quoted(rfcMessageId)}>'`;
}

function markedFilter(rfcMessageId: string): string {
  return `singleValueExtendedProperties/Any(ep: ep/id eq '${markId}' and ep/value eq '${quoted(rfcMessageId)}')`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}

function copyIn({ id, isDraft, internetMessageId, conversationId }: Record<string, unknown>): {
  copy: SentCopy;
  isDraft: boolean;
} {
  if (typeof id !== 'string') throw senseless('no_id');
  return {
    copy: {
      providerId: id,
      threadId: typeof conversationId === 'string' ? conversationId : null,
      wireMessageId: typeof internetMessageId === 'string' ? withoutBrackets(internetMessageId) : null,
    },
    isDraft: isDraft === true,
  };
}

function withoutBrackets(id: string): string {
  return id.trim().replace(/^<|>$/g, '');
}
