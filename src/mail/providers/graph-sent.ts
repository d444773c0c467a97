/** The copies of our mail in drafts and sent folder. */
import { ownIdHeader } from '../message-ids.ts';
import { type ProviderAccount, ProviderFault, type SentCopy } from '../provider.ts';
import { senseless } from './graph-faults.ts';
import { readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';
import { asObject } from './provider-request.ts';

const fields = 'id,isDraft,internetMessageId,conversationId';
/** Graph's clock may be behind ours. */
const clockSpareMs = 5 * 60_000;
/** Of the newest: what was sent since is not more. */
const pagesMax = 10;
const perPage = 50;

/** A draft becomes the sent copy, and keeps its id. @returns undefined when there is none by this id */
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

/** @returns the id of a draft of this mail that an attempt left which was cut off before it could say so */
export async function findDraft(requests: GraphRequests, rfcMessageId: string): Promise<string | undefined> {
  const found = await findIn(requests, 'drafts', rfcMessageId);
  return found?.isDraft ? found.copy.providerId : undefined;
}

/**
 * By the draft's id, which stays; should it have changed, by Message-ID; should that have been replaced, by our own header
 * among what was sent since then.
 */
export async function findSent(
  requests: GraphRequests,
  { rfcMessageId, draftId, since }: Parameters<ProviderAccount['findSent']>[0],
): ReturnType<ProviderAccount['findSent']> {
  const kept = draftId === null ? undefined : await readCopy(requests, draftId);
  if (kept !== undefined) return kept.isDraft ? 'draft' : kept.copy;
  const named = await findIn(requests, 'sentitems', rfcMessageId);
  if (named !== undefined) return named.copy;
  const marked = await findMarked(requests, rfcMessageId, since);
  if (marked !== undefined) return marked;
  return (await findDraft(requests, rfcMessageId)) === undefined ? undefined : 'draft';
}

async function findIn(
  requests: GraphRequests,
  folder: 'drafts' | 'sentitems',
  rfcMessageId: string,
): Promise<{ copy: SentCopy; isDraft: boolean } | undefined> {
  const query = new URLSearchParams({
    $select: fields,
    $filter: `internetMessageId eq '<${rfcMessageId.replaceAll("'", "''")}>'`,
  });
  const { items } = await readPage(requests, `/me/mailFolders/${folder}/messages?${query}`);
  return items[0] && copyIn(items[0]);
}

async function findMarked(requests: GraphRequests, rfcMessageId: string, since: Date): Promise<SentCopy | undefined> {
  const query = new URLSearchParams({
    $select: `${fields},internetMessageHeaders`,
    $filter: `receivedDateTime ge ${new Date(since.getTime() - clockSpareMs).toISOString()}`,
    $orderby: 'receivedDateTime desc',
    $top: String(perPage),
  });
  let target: string | undefined = `/me/mailFolders/sentitems/messages?${query}`;
  for (let pages = 0; target !== undefined && pages < pagesMax; pages++) {
    const { items, nextLink } = await readPage(requests, target);
    const ours = items.find((item) => isMarked(item, rfcMessageId));
    if (ours !== undefined) return copyIn(ours).copy;
    target = nextLink;
  }
  return undefined;
}

function isMarked({ internetMessageHeaders: headers }: Record<string, unknown>, rfcMessageId: string): boolean {
  return (Array.isArray(headers) ? headers : []).some((header) => {
    const { name, value } = asObject(header) ?? {};
    return String(name).toLowerCase() === ownIdHeader.toLowerCase() && withoutBrackets(String(value)) === rfcMessageId;
  });
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
