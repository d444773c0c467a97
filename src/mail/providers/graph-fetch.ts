import { type FetchedMail, type FoundMail, type ProviderAccount, ProviderFault } from '../provider.ts';
import { senseless } from './graph-faults.ts';
import type { FolderIds, MailFolder } from './graph-folders.ts';
import type { GraphRequests } from './graph-requests.ts';

/** Exchange Online takes mail of up to 150 MB, encoded. */
const mailBytesMax = 160 * 1024 * 1024;
const mailTimeoutMs = 120_000;

const folderOf = { inbox: 'inbox', sent: 'sentitems' } as const satisfies Record<FoundMail['folder'], MailFolder>;

/** Reads where the mail is now, for since it was listed it may have been moved, and the mail itself, as MIME. */
export async function fetchMail(
  requests: GraphRequests,
  folderIds: FolderIds,
  { providerId, folder }: FoundMail,
): ReturnType<ProviderAccount['fetch']> {
  const [read, folderId] = await Promise.all([readMail(requests, providerId), folderIds(folderOf[folder])]);
  if (read === undefined) return { skipped: 'gone' };
  const { message, raw } = read;
  if (message.isDraft === true) return { skipped: 'draft' };
  if (message.parentFolderId !== folderId) return { skipped: await whereElse(folderIds, message.parentFolderId) };
  const receivedAt = new Date(String(message.receivedDateTime));
  if (Number.isNaN(receivedAt.getTime())) throw senseless('no_date');
  const threadId = typeof message.conversationId === 'string' ? message.conversationId : null;
  return { providerId, folder, threadId, receivedAt, raw } satisfies FetchedMail;
}

/** Both at once: almost all that is asked for is mail for tickets. */
async function readMail(
  requests: GraphRequests,
  providerId: string,
): Promise<{ message: Record<string, unknown>; raw: Buffer } | undefined> {
  const path = `/me/messages/${encodeURIComponent(providerId)}`;
  try {
    const [message, { body }] = await Promise.all([
      requests.askJson(`${path}?$select=id,isDraft,parentFolderId,conversationId,receivedDateTime`),
      requests.ask(`${path}/$value`, { answerBytesMax: mailBytesMax, timeoutMs: mailTimeoutMs }),
    ]);
    return { message, raw: body };
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'not-found') return undefined;
    throw error;
  }
}

async function whereElse(folderIds: FolderIds, folderId: unknown): Promise<'junk' | 'deleted' | 'elsewhere'> {
  const [junk, deleted] = await Promise.all([folderIds('junkemail'), folderIds('deleteditems')]);
  if (folderId === junk) return 'junk';
  return folderId === deleted ? 'deleted' : 'elsewhere';
}
