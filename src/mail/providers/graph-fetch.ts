import { blankBytesOf, headerStartOf } from '@kontor/mail/files/mail-beginning.ts';
import { readHeaderBlock } from '@kontor/mail/header-fields.ts';
import type { FetchedMail, FoundMail, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { senseless } from './graph-faults.ts';
import type { FolderIds, MailFolder } from './graph-folders.ts';
import { rebuildMail } from './graph-rebuild.ts';
import type { GraphRequests } from './graph-requests.ts';

/** Exchange Online accepts mail of up to 150 MB, encoded. */
const mailBytesMax = 160 * 1024 * 1024;
const mailTimeoutMs = 120_000;

type Fetched = Awaited<ReturnType<ProviderAccount['fetch']>>;
type Skipped = Exclude<Fetched, FetchedMail>;
type Message = Record<string, unknown>;
type SoughtMail = FoundMail & { rebuilds?: boolean };

/** Reads the mail as MIME, and its folder, which may have changed since Graph listed the mail. */
export async function fetchMail(
  requests: GraphRequests,
  folderIds: FolderIds,
  found: SoughtMail,
): ReturnType<ProviderAccount['fetch']> {
  try {
    return await (found.isCandidate ? fetchCandidate : fetchListed)(requests, folderIds, found);
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'not-found') return { skipped: 'missing' };
    throw error;
  }
}

/** Requests folder and content together, because almost every listed mail becomes part of a ticket. */
async function fetchListed(requests: GraphRequests, folderIds: FolderIds, found: SoughtMail): Promise<Fetched> {
  const [message, raw] = await Promise.all([readMessage(requests, found), readMime(requests, found)]);
  const place = await placeOf(folderIds, message, found.folder);
  return 'skipped' in place ? place : mailOf(message, place, raw);
}

/** Most candidates were deleted, so this requests the content only for the rest. */
async function fetchCandidate(requests: GraphRequests, folderIds: FolderIds, found: SoughtMail): Promise<Fetched> {
  const message = await readMessage(requests, found);
  const place = await placeOf(folderIds, message, found.folder);
  return 'skipped' in place ? place : mailOf(message, place, await readMime(requests, found));
}

function readMessage(requests: GraphRequests, { providerId }: FoundMail): Promise<Message> {
  return requests.askJson(`${pathOf(providerId)}?$select=id,isDraft,parentFolderId,conversationId,receivedDateTime`);
}

async function readMime(requests: GraphRequests, { providerId, rebuilds = false }: SoughtMail): Promise<Buffer> {
  const limits = { answerBytesMax: mailBytesMax, timeoutMs: mailTimeoutMs };
  try {
    const { body } = await requests.ask(`${pathOf(providerId)}/$value`, limits);
    if (!hasHeader(body)) {
      throw new ProviderFault('refused', 'no_mail', 'Microsoft 365 lists a mail, and answers without it.');
    }
    return body;
  } catch (error) {
    const isOfMime = error instanceof ProviderFault && (error.kind === 'refused' || error.kind === 'unavailable');
    if (!rebuilds || !isOfMime || requests.signal?.aborted) throw error;
    return rebuildMail(requests, pathOf(providerId));
  }
}

/** Whether the bytes begin with a header field. Graph may answer 200 with nothing, and a proxy with a page. */
function hasHeader(raw: Buffer): boolean {
  const start = blankBytesOf(raw);
  const isPage = ['<', '{', '['].includes(raw.toString('latin1', start, start + 1));
  return !isPage && readHeaderBlock(raw, headerStartOf(raw, start), raw.length).fields.length > 0;
}

function pathOf(providerId: string): string {
  return `/me/messages/${encodeURIComponent(providerId)}`;
}

type Place = Pick<FetchedMail, 'folder' | 'isFiled'>;

const folderOf = { inbox: 'inbox', sent: 'sentitems' } as const satisfies Record<FoundMail['folder'], MailFolder>;
const skippedFolders = [
  ['junkemail', 'junk'],
  ['deleteditems', 'deleted'],
  ['recoverableitemsdeletions', 'deleted'],
  ['drafts', 'draft'],
] as const;

async function placeOf(
  folderIds: FolderIds,
  { isDraft, parentFolderId }: Message,
  folder: FoundMail['folder'],
): Promise<Place | Skipped> {
  if (isDraft === true) return { skipped: 'draft' };
  for (const kind of folder === 'sent' ? (['sent', 'inbox'] as const) : (['inbox', 'sent'] as const))
    if (parentFolderId === (await folderIds(folderOf[kind]))) return { folder: kind, isFiled: false };
  for (const [name, skipped] of skippedFolders)
    if (parentFolderId === (await idOrNone(folderIds, name))) return { skipped };
  return { folder, isFiled: true };
}

/** Returns undefined for a folder that the mailbox does not have. */
async function idOrNone(folderIds: FolderIds, name: (typeof skippedFolders)[number][0]): Promise<string | undefined> {
  try {
    return await folderIds(name);
  } catch (error) {
    if (error instanceof ProviderFault && (error.kind === 'not-found' || error.kind === 'refused')) return undefined;
    throw error;
  }
}

function mailOf({ id, conversationId, receivedDateTime }: Message, place: Place, raw: Buffer): FetchedMail {
  const receivedAt = new Date(String(receivedDateTime));
  if (Number.isNaN(receivedAt.getTime())) throw senseless('no_date');
  // Graph answers with the immutable id, even if the request had another id.
  if (typeof id !== 'string') throw senseless('no_id');
  const threadId = typeof conversationId === 'string' ? conversationId : null;
  return { providerId: id, ...place, threadId, receivedAt, raw };
}
