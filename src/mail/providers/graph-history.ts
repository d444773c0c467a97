import type { FoundMail, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { senseless } from './graph-faults.ts';
import { type MailFolder, mailFolders } from './graph-folders.ts';
import { foundIn, type GraphPage, readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';

/** Includes Outlook's own archive folder. Rules usually move mail into other folders. */
type ListedFolder = MailFolder | 'archive';

/** The place where a pass over older mail continues. */
type HistoryPlace = {
  folder: ListedFolder;
  /** Lists mail received since this time. */
  from: string;
  /** Graph's own next link, used only after a page whose mails all arrived at the same time. */
  link: string | null;
  /** How many links were followed one after another. */
  linked?: number;
};

const historyPerPage = 100;
/** Nobody has so many mails of one time. */
const linksMax = 1_000;

/**
 * Lists mail oldest first. The next page begins at the time of the last mail, so mails of that time appear twice.
 * Graph's next link would skip a count of mails, and so miss a mail for each mail that is deleted meanwhile.
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
    // Some mailboxes have no archive.
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
  return JSON.parse(page) as HistoryPlace; // our own JSON from the previous page
}

function placeAfter(place: HistoryPlace, { items, nextLink }: GraphPage): HistoryPlace | null {
  if (nextLink === undefined) return null;
  const last = items.at(-1)?.receivedDateTime;
  if (typeof last === 'string' && Date.parse(last) > Date.parse(place.from))
    return { ...place, from: last, link: null, linked: 0 };
  const linked = (place.linked ?? 0) + 1;
  // Links that lead in a circle.
  if (nextLink === place.link || linked > linksMax) throw senseless('endless_list');
  return { ...place, link: nextLink, linked };
}

function placeInNextFolder({ folder }: HistoryPlace, since: Date, hasArchive: boolean): HistoryPlace | null {
  const folders: readonly ListedFolder[] = hasArchive ? [...mailFolders, 'archive'] : mailFolders;
  const next = folders[folders.indexOf(folder) + 1];
  return next === undefined ? null : { folder: next, from: since.toISOString(), link: null };
}
