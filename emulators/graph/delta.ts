/** Delta rounds of a folder, page by page. The links are opaque to clients. */
import { type Answer, type Call, GraphError } from './http.ts';
import { selectOf, showMessage } from './message.ts';
import { clausesOf, folderNamed } from './read.ts';
import type { Change, ChangeKind, FolderName, Item, World } from './world.ts';

type Round = {
  user: string;
  folder: FolderName;
  epoch: number;
  /** Where in the log the next page begins and the round ends. A delta link has no end. */
  at: number;
  end: number | null;
  isFirst: boolean;
  /** The page before this page was empty by `emptyPageRate`. */
  wasEmpty: boolean;
  listed: number;
  /** Since the first request without a link. */
  listedForLife: number;
  select: string[];
  filter: string | null;
  changeType: ChangeKind | null;
};

const usualPageSize = 10;

export async function delta(call: Call): Promise<Answer> {
  const { world, mailbox } = call;
  const folder = folderNamed(call);
  const { log } = mailbox.folders[folder];
  const token = call.query.get('$skiptoken') ?? call.query.get('$deltatoken');
  const round = token === null ? firstRound(call, folder) : continued(call, folder, token);
  round.end ??= ripe(world, log);
  const path = `/v1.0/users/${mailbox.userId}/mailFolders('${folder}')/messages/delta`;
  const link = (name: '$skiptoken' | '$deltatoken', to: Round) =>
    `${world.url}${path}?${name}=${Buffer.from(JSON.stringify(to)).toString('base64url')}`;
  const answer = (value: object[], links: Record<string, string>): Answer => ({
    status: 200,
    headers: { 'preference-applied': 'odata.maxpagesize' },
    body: { '@odata.context': `${world.url}/v1.0/$metadata#Collection(message)`, value, ...links },
  });
  if (!round.wasEmpty && world.random.fraction() < world.behaviour.emptyPageRate)
    return answer([], { '@odata.nextLink': link('$skiptoken', { ...round, wasEmpty: true }) });
  const clauses = clausesOf(round.filter);
  const isWanted = (item: Item) => item.folder !== folder || clauses.every((clause) => clause.holds(item));
  const isListed = (item: Item) => isWanted(item) && !(round.isFirst && item.folder !== folder);
  const { changes, next } = page(log, round, pageSizeOf(call), isListed);
  const isMute = isFull(world, round);
  const shown = isMute ? [] : changes.map((change) => entryOf(call, folder, round, change));
  const value = (await Promise.all(shown)).filter((entry) => entry !== undefined);
  const listed = round.listed + value.length;
  const listedForLife = round.listedForLife + value.length;
  const after = { ...round, listed, listedForLife, wasEmpty: false };
  const isOver =
    next >= round.end || (round.isFirst && round.filter !== null && listed >= world.behaviour.filteredDeltaMax);
  if (!isOver) return answer(value, { '@odata.nextLink': link('$skiptoken', { ...after, at: next }) });
  const done = { ...after, at: round.end, end: null, isFirst: false, listed: 0, wasEmpty: false };
  return answer(value, { '@odata.deltaLink': link('$deltatoken', done) });
}

/** Whether a filtered delta has reached the limit for its life. */
function isFull({ behaviour }: World, { filter, listedForLife }: Round): boolean {
  return behaviour.filteredDeltaMaxIsForLife && filter !== null && listedForLife >= behaviour.filteredDeltaMax;
}

function firstRound({ query, mailbox, world }: Call, folder: FolderName): Round {
  if (query.has('$search')) throw new GraphError(400, 'BadRequest', 'The query parameter $search is not supported.');
  const filter = query.get('$filter');
  if (filter !== null && world.behaviour.refusesDeltaFilters)
    throw new GraphError(400, 'ErrorInvalidUrlQuery', 'The following parameters are not supported: $filter.');
  if (clausesOf(filter).some(({ property }) => property !== 'receivedDateTime'))
    throw new GraphError(400, 'BadRequest', 'Only receivedDateTime can be filtered by.');
  const changeType = query.get('changeType') as ChangeKind | null;
  const start = { at: 0, end: null, isFirst: true, wasEmpty: false, listed: 0, listedForLife: 0 };
  return {
    user: mailbox.userId,
    folder,
    epoch: mailbox.deltaEpoch,
    ...start,
    select: selectOf(query),
    filter,
    changeType,
  };
}

/** @throws GraphError for a link that was reset or belongs to another mailbox or folder */
function continued({ world, mailbox }: Call, folder: FolderName, token: string): Round {
  const round = roundOf(token);
  if (round === undefined || round.user !== mailbox.userId || round.folder !== folder)
    throw new GraphError(400, 'BadRequest', 'Badly formed token.');
  if (round.epoch !== mailbox.deltaEpoch) {
    const fresh = `${world.url}/v1.0/users/${mailbox.userId}/mailFolders('${folder}')/messages/delta`;
    if (mailbox.deltaReset === '410')
      throw new GraphError(410, 'syncStateInvalid', 'The sync state is too old.', { location: fresh });
    throw new GraphError(400, mailbox.deltaReset, 'The sync state generation is not found; a full sync is required.');
  }
  const isNewRound = round.end === null;
  if (isNewRound && world.random.fraction() < world.behaviour.deltaLinkRefusalRate)
    throw new GraphError(400, 'ErrorInvalidUrlQuery', 'The following parameters are not supported: $deltatoken.');
  const replays = isNewRound && world.random.fraction() < world.behaviour.replayRate;
  return replays ? { ...round, at: Math.max(0, round.at - 1 - world.random.below(5)) } : round;
}

function roundOf(token: string): Round | undefined {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as Round;
  } catch {
    return undefined;
  }
}

/** How many entries of the log are old enough to be listed. */
function ripe({ clock, behaviour }: World, log: readonly Change[]): number {
  if (behaviour.deltaLagMs === 0) return log.length;
  const until = clock.now().getTime() - behaviour.deltaLagMs;
  const young = log.findIndex(({ at }) => at > until);
  return young === -1 ? log.length : young;
}

function pageSizeOf({ headers }: Call): number {
  const wish = /odata\.maxpagesize="?(\d+)/i.exec(String(headers.prefer ?? ''))?.[1];
  return Math.min(1_000, Math.max(1, Number(wish ?? usualPageSize)));
}

type ItemChange = { item: Item; kinds: Set<ChangeKind>; id: string };

/** Up to `size` items with changes. Several changes of an item become a single change. */
function page(
  log: readonly Change[],
  round: Round,
  size: number,
  isListed: (item: Item) => boolean,
): { changes: ItemChange[]; next: number } {
  const changes = new Map<Item, ItemChange>();
  let next = round.at;
  for (const end = round.end ?? log.length; next < end; next++) {
    const { item, kind, id } = log[next] as Change; // `next` is below the length.
    if (!isListed(item)) continue;
    const known = changes.get(item);
    if (known !== undefined) Object.assign(known, { id }).kinds.add(kind);
    else if (changes.size === size) break;
    else changes.set(item, { item, kinds: new Set([kind]), id });
  }
  return { changes: [...changes.values()], next };
}

async function entryOf(call: Call, folder: FolderName, round: Round, change: ItemChange): Promise<object | undefined> {
  const { item, kinds } = change;
  const isHidden = call.world.behaviour.hidesReturns && call.isImmutable && !round.isFirst && kinds.has('deleted');
  const isHere = item.folder === folder && !isHidden;
  const kind = !isHere ? 'deleted' : kinds.has('created') ? 'created' : 'updated';
  if (round.changeType !== null && round.changeType !== kind) return undefined;
  if (!isHere) return { id: call.isImmutable ? item.immutableId : change.id, '@removed': { reason: 'deleted' } };
  const isSparse = kind === 'updated' && !round.isFirst && call.world.behaviour.sparseItems;
  return showMessage(call, item, isSparse ? ['isRead', 'parentFolderId'] : round.select);
}
