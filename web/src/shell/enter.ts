import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { ApiError } from '../api/client.ts';
import { followLive, onLive } from '../api/live.ts';
import { readStart, type Start } from '../api/start.ts';
import { unreadCountQuery } from '../notifications/queries.ts';
import { paths } from '../paths.ts';
import { rememberedWorkspace } from '../session/chosen-workspace.ts';
import { preferencesQuery } from '../session/preferences.ts';
import { meQuery, settingsQuery } from '../session/queries.ts';
import { countsQuery, settled } from '../tickets/counts/counts.ts';
import { readPlace } from '../tickets/lists.ts';
import { applyEvents } from '../tickets/live-changes.ts';
import { placeOvertaken } from '../tickets/place-overtaken.ts';
import {
  mailboxesQuery,
  membersQuery,
  tagsOf,
  tagsQuery,
  teamsQuery,
  ticketQuery,
  ticketsQuery,
} from '../tickets/queries.ts';
import { tellSentIn } from '../tickets/sending/tell-sent.ts';
import { viewsQuery } from '../views/queries.ts';

/** The service returns a stream position at least this much older than its answer, so that no event is missed. */
const lookBackMs = 10_000;

/** The second read waits until the page is drawn and has prefetched tickets. */
const restMs = 2_000;

/** The addresses of pages for the members of a workspace. */
const ofWorkspace = /^\/($|new$|[tv]\/|settings\/)/;

let entered: { workspaceId: string; leave: () => void } | undefined;

/**
 * Reads the data that all pages of a workspace share in one request, and follows the stream from its position. Queries
 * for a part of this data wait for the same answer. Does nothing if this workspace is entered already.
 */
export function enterWorkspace(workspaceId: string): void {
  if (entered?.workspaceId === workspaceId) return;
  leaveWorkspace();
  // The stream was closed while another workspace was open, so cached data may be old.
  void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId], refetchType: 'none' });
  const stopPlacing = placeOvertaken(workspaceId);
  const stopTelling = tellSentIn(workspaceId);
  const askedAt = performance.now();
  const told = readStart(workspaceId);
  shareOut(workspaceId, told);
  const position = told.then(
    async (start) => {
      const isSure = performance.now() - askedAt < lookBackMs;
      // The stream waits for all running reads: an older answer would undo its changes.
      await readingsOf(workspaceId);
      return isSure ? start.position : undefined;
    },
    (error: unknown) => {
      // The guard then leads the person to another workspace or to sign in.
      if (isRefused(error) && entered === mine) leaveWorkspace();
      return undefined;
    },
  );
  let soon: ReturnType<typeof setTimeout> | undefined;
  const readAgain = () => {
    soon = undefined;
    shareOut(workspaceId, readStart(workspaceId));
  };
  const stopHearing = onLive((events) => {
    applyEvents(workspaceId, events);
    // Changes of members, views and counts have no event id. The second read catches changes before the stream was
    // open.
    if (events.some(({ name }) => name === 'opened' || name === 'resumed')) soon ??= setTimeout(readAgain, restMs);
  });
  const stopFollowing = followLive(workspaceId, position);
  const mine = {
    workspaceId,
    leave: () => {
      clearTimeout(soon);
      stopPlacing();
      stopTelling();
      stopHearing();
      stopFollowing();
    },
  };
  entered = mine;
}

export function leaveWorkspace(): void {
  entered?.leave();
  entered = undefined;
}

/** Requests the first data of a page before anything is drawn, for the last workspace of this browser. */
export function enterAhead({ pathname, search }: { pathname: string; search: string }): void {
  const workspaceId = rememberedWorkspace();
  const number = /^\/t\/(\d+)$/.exec(pathname)?.[1];
  if (workspaceId === null || !ofWorkspace.test(pathname)) return;
  enterWorkspace(workspaceId);
  if (pathname !== paths.inbox && number === undefined) return;
  void queryClient.prefetchInfiniteQuery(ticketsQuery(workspaceId, readPlace(search).list));
  if (number !== undefined) void queryClient.prefetchQuery(ticketQuery(workspaceId, Number(number)));
}

function shareOut(workspaceId: string, told: Promise<Start>): void {
  // If no query awaits the answer, its failure would be an unhandled rejection.
  told.catch(() => undefined);
  /**
   * Fills a query from the shared answer once. Without an answer, and for later fetches, the query's own request runs.
   */
  const share = <Data, Key extends QueryKey>(
    query: FetchQueryOptions<Data, Error, Data, Key>,
    part: (start: Start) => Data | Promise<Data>,
  ) => {
    let isTaken = false;
    const queryFn: typeof query.queryFn = async (context) => {
      const own = query.queryFn;
      if (typeof own !== 'function') throw new Error('a part of the start has no query of its own');
      if (isTaken) return own(context);
      isTaken = true;
      try {
        return await part(await told);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) throw error;
        return own(context);
      }
    };
    void queryClient.prefetchQuery({ ...query, queryFn, staleTime: 0 });
  };
  share(meQuery, ({ user, workspaces }) => ({ user, workspaces }));
  share(preferencesQuery, ({ preferences }) => preferences);
  share(settingsQuery(workspaceId), ({ workspace }) => workspace);
  share(membersQuery(workspaceId), ({ members }) => members);
  share(mailboxesQuery(workspaceId), ({ mailboxes }) => mailboxes);
  share(teamsQuery(workspaceId), ({ teams }) => teams);
  share(tagsQuery(workspaceId), tagsOf);
  const counted = settled(workspaceId, async () => (await told).counts);
  counted.catch(() => undefined);
  share(countsQuery(workspaceId), () => counted);
  share(viewsQuery(workspaceId), ({ views }) => views);
  share(unreadCountQuery(workspaceId), ({ unreadNotifications }) => ({ count: unreadNotifications }));
}

/** Waits for all running reads of a workspace. */
async function readingsOf(workspaceId: string): Promise<void> {
  const reading = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['workspace', workspaceId], fetchStatus: 'fetching' });
  await Promise.allSettled(reading.map(({ promise }) => promise));
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}
