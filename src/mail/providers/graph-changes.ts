/**
 * Follows the inbox and the sent folder with one delta round for each, because Graph has no delta for a whole mailbox.
 * Uses only the ids of a delta, because its items may be sparse, stale, repeated, or gone.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../ground/lib/clock.ts';
import type { FoundMail } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { senseless } from './graph-faults.ts';
import { type MailFolder, mailFolders } from './graph-folders.ts';
import { foundIn, type GraphPage, readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';

const changesPerPage = 'odata.maxpagesize=100';
const anchorsPerPage = 'odata.maxpagesize=1000';
/** More pages than a round can have. Ends the requests to a server whose links never end. */
const roundPagesMax = 100_000;
const emptyPagesMax = 1_000;
const endlessRound = 'endless_round';
/** Exchange's servers disagree by seconds about the arrival time of a mail. */
const anchorSpareMs = 5 * 60_000;

type Links = Record<MailFolder, string>;

/**
 * Runs a first round to its end and ignores the listed mail. A round over a big mailbox takes hundreds of pages. So the
 * round covers only mail received after the folder's newest mail by Graph's clock, less a margin.
 * The filter stays in the links. So the rounds never list mail that arrived in another folder (such as junk) before the
 * anchor and is moved here later. A pass over the history finds such mail, if it arrived within that pass's time.
 * If Graph refuses the filter, as for days in 2022 (microsoft-graph-docs#18636), the round covers the whole folder.
 */
export async function anchor(requests: GraphRequests, clock: Clock): Promise<string> {
  const links = await Promise.all(
    mailFolders.map(async (folder) => [folder, await anchorOf(requests, folder, clock)] as const),
  );
  return JSON.stringify(Object.fromEntries(links));
}

async function anchorOf(requests: GraphRequests, folder: MailFolder, clock: Clock): Promise<string> {
  const messages = `/me/mailFolders/${folder}/messages`;
  const newestFirst = new URLSearchParams({
    $select: 'receivedDateTime',
    $orderby: 'receivedDateTime desc',
    $top: '1',
  });
  const { items } = await readPage(requests, `${messages}?${newestFirst}`);
  const newest = Date.parse(String(items[0]?.receivedDateTime));
  const query = new URLSearchParams({ $select: 'id' });
  if (!Number.isNaN(newest)) {
    // Imported mail may have any date, even in the future.
    const from = new Date(Math.min(newest, clock.now().getTime()) - anchorSpareMs);
    query.set('$filter', `receivedDateTime ge ${from.toISOString()}`);
  }
  try {
    return await lastLinkOf(requests, `${messages}/delta?${query}`);
  } catch (error) {
    if (!query.has('$filter') || !isRefused(error)) throw error;
    query.delete('$filter');
    return lastLinkOf(requests, `${messages}/delta?${query}`);
  }
}

async function lastLinkOf(requests: GraphRequests, target: string): Promise<string> {
  let deltaLink: string | undefined;
  for await (const page of roundFrom(requests, target, anchorsPerPage)) deltaLink = page.deltaLink;
  if (deltaLink === undefined) throw senseless('no_link');
  return deltaLink;
}

/** Whether Graph refused with a 400, 404 or 405; its body may be empty. */
function isRefused(error: unknown): error is ProviderFault {
  return error instanceof ProviderFault && (['refused', 'not-found'].includes(error.kind) || error.code === '400');
}

/** The last page is empty and has the cursor, because by then every folder's round has ended. */
export async function* changes(
  requests: GraphRequests,
  cursor: string,
): AsyncGenerator<{ found: FoundMail[]; cursor: string | null }> {
  const links = linksOf(requests, cursor);
  for (const folder of mailFolders)
    for await (const page of knownRoundFrom(requests, links[folder])) {
      if (page.deltaLink !== undefined) links[folder] = page.deltaLink;
      const found = foundIn(page, folder);
      if (found.length > 0) yield { found, cursor: null };
    }
  yield { found: [], cursor: JSON.stringify(links) };
}

/**
 * The documentation names two errors that end a delta link, but Graph has more. So a link that Graph refuses twice
 * counts as lost for any reason.
 */
async function* knownRoundFrom(requests: GraphRequests, link: string): AsyncGenerator<GraphPage> {
  try {
    yield* roundFrom(requests, link, changesPerPage);
  } catch (error) {
    // The link would lead in the same circle again.
    if (error instanceof ProviderFault && error.code === endlessRound) throw lost(error);
    if (!isRefused(error)) throw error;
    try {
      yield* roundFrom(requests, link, changesPerPage);
    } catch (again) {
      if (!isRefused(again)) throw again;
      throw lost(again);
    }
  }
}

function lost(cause: ProviderFault): ProviderFault {
  const sentence = `Microsoft 365 refuses to tell what happened since this mailbox was read (${cause.code}).`;
  return new ProviderFault('cursor-lost', cause.code, sentence, { cause });
}

/** An empty page may still have a next page. */
async function* roundFrom(requests: GraphRequests, first: string, prefer: string): AsyncGenerator<GraphPage> {
  let target: string | undefined = first;
  const followed = new Set([hashOf(first)]);
  for (let emptyPages = 0; emptyPages < emptyPagesMax && followed.size <= roundPagesMax; ) {
    const page = await readPage(requests, target, prefer);
    yield page;
    if (page.deltaLink !== undefined) return;
    target = page.nextLink;
    if (target === undefined) throw senseless('no_link');
    emptyPages = page.items.length === 0 ? emptyPages + 1 : 0;
    if (followed.has(hashOf(target))) break;
    followed.add(hashOf(target));
  }
  throw senseless(endlessRound);
}

function hashOf(link: string): string {
  return createHash('sha256').update(link).digest('base64');
}

/** A cursor for another API address, from before a change of the settings, is useless. */
function linksOf(requests: GraphRequests, cursor: string): Links {
  try {
    const links = JSON.parse(cursor) as Links; // checked below
    if (mailFolders.every((folder) => requests.isOwnLink(links[folder]))) return links;
  } catch {}
  throw new ProviderFault(
    'cursor-lost',
    'unusable_cursor',
    'The mark of how far this mailbox was read is of no use here.',
  );
}
