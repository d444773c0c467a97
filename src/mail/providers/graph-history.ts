import { type FoundMail, type ProviderAccount, ProviderFault } from '../provider.ts';
import { type MailFolder, mailFolders } from './graph-folders.ts';
import { foundIn, type GraphPage, readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';

/** With Outlook's own archive. Rules file mail into other folders. */
type ListedFolder = MailFolder | 'archive';

/** Where a pass over older mail goes on. */
type HistoryPlace = {
  folder: ListedFolder;
  /** Mail received since then. */
  from: string;
  /** The rest of a page on which all mail came at one time. */
  link: string | null;
};

const historyPerPage = 100;

/**
 * Oldest first. The next page begins at the last mail's time instead of following Graph's link, which counts how many mails to
 * leave out: with each one that is deleted meanwhile it would leave out another. So the mails of that time are listed twice.
 */
export async function history(
  requests: GraphRequests,
  { since, page, hasArchive = false }: { since: Date; page: string; hasArchive?: boolean },
): ReturnType<ProviderAccount['history']> {
  const place = placeOf(since, page);
  const { folder } = place;
  const query = new URLSearchParams({
    $select: 'id,receivedDateTime',
    $filter: `receivedDateTime ge ${place.from}`,
    $orderby: 'receivedDateTime',
    $top: String(historyPerPage),
  });
  const link = place.link !== null && requests.isOwnLink(place.link) ? place.link : null;
  const read = await readPage(requests, link ?? `/me/mailFolders/${folder}/messages?${query}`).catch((error) => {
    // Not every mailbox has an archive.
    if (folder === 'archive' && error instanceof ProviderFault && error.kind === 'not-found') return noPage;
    throw error;
  });
  const next = placeAfter(place, read) ?? placeInNextFolder(place, since, hasArchive);
  const found = folder === 'archive' ? archivedIn(read) : foundIn(read, folder);
  return { found, next: next === null ? null : JSON.stringify(next) };
}

const noPage: GraphPage = { items: [], nextLink: undefined, deltaLink: undefined };

function archivedIn(page: GraphPage): FoundMail[] {
  return foundIn(page, 'inbox').map((mail) => ({ ...mail, isCandidate: true }));
}

function placeOf(since: Date, page: string): HistoryPlace {
  if (page === '') return { folder: mailFolders[0], from: since.toISOString(), link: null };
  return JSON.parse(page) as HistoryPlace; // ours, of before
}

function placeAfter(place: HistoryPlace, { items, nextLink }: GraphPage): HistoryPlace | null {
  if (nextLink === undefined) return null;
  const last = items.at(-1)?.receivedDateTime;
  if (typeof last === 'string' && Date.parse(last) > Date.parse(place.from))
    return { folder: place.folder, from: last, link: null };
  return { ...place, link: nextLink };
}

function placeInNextFolder({ folder }: HistoryPlace, since: Date, hasArchive: boolean): HistoryPlace | null {
  const folders: readonly ListedFolder[] = hasArchive ? [...mailFolders, 'archive'] : mailFolders;
  const next = folders[folders.indexOf(folder) + 1];
  return next === undefined ? null : { folder: next, from: since.toISOString(), link: null };
}
