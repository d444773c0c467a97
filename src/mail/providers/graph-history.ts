import type { ProviderAccount } from '../provider.ts';
import { type MailFolder, mailFolders } from './graph-folders.ts';
import { foundIn, type GraphPage, readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';

/** Where a pass over older mail goes on. */
type HistoryPlace = {
  folder: MailFolder;
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
  since: Date,
  page: string,
): ReturnType<ProviderAccount['history']> {
  const place = placeOf(since, page);
  const query = new URLSearchParams({
    $select: 'id,receivedDateTime',
    $filter: `receivedDateTime ge ${place.from}`,
    $orderby: 'receivedDateTime',
    $top: String(historyPerPage),
  });
  const link = place.link !== null && requests.isOwnLink(place.link) ? place.link : null;
  const read = await readPage(requests, link ?? `/me/mailFolders/${place.folder}/messages?${query}`);
  const next = placeAfter(place, read, since);
  return { found: foundIn(read, place.folder), next: next === null ? null : JSON.stringify(next) };
}

function placeOf(since: Date, page: string): HistoryPlace {
  if (page === '') return { folder: mailFolders[0], from: since.toISOString(), link: null };
  return JSON.parse(page) as HistoryPlace; // ours, of before
}

function placeAfter(place: HistoryPlace, { items, nextLink }: GraphPage, since: Date): HistoryPlace | null {
  if (nextLink === undefined) {
    const folder = mailFolders[mailFolders.indexOf(place.folder) + 1];
    return folder === undefined ? null : { folder, from: since.toISOString(), link: null };
  }
  const last = items.at(-1)?.receivedDateTime;
  if (typeof last === 'string' && Date.parse(last) > Date.parse(place.from))
    return { folder: place.folder, from: last, link: null };
  return { ...place, link: nextLink };
}
