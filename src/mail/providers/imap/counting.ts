/** Counts the mail of an IMAP server, to compare it with the mails that were taken. */
import type { FolderCount } from '../../provider.ts';
import { examine, searchUids } from './connection.ts';
import { foldersOf, named, type Reading, readCursor } from './reading.ts';

/** All mails of the folders that are read. */
export async function countMails({ session, server }: Reading, text: string | null): Promise<FolderCount[]> {
  const known = text === null ? [] : readCursor(text).folders;
  const counts: FolderCount[] = [];
  for (const here of foldersOf(await server())) {
    const { path } = here;
    const { uidValidity, uids, unwanted } = await session.use(async (client) => ({
      ...(await examine(client, path)),
      uids: await searchUids(client, { all: true }),
      unwanted: await searchUids(client, { or: [{ draft: true }, { deleted: true }] }),
    }));
    const place = known.find((each) => each.path === path && each.uidValidity === uidValidity);
    const from = place?.uidNext ?? Number.POSITIVE_INFINITY;
    const idsOf = (some: readonly number[]) =>
      named(some, { ...here, uidValidity }).map(({ providerId }) => providerId);
    const newIds = idsOf(uids.filter((uid) => uid >= from));
    counts.push({ path, ids: idsOf(uids), newIds, unwantedIds: idsOf(unwanted) });
  }
  return counts;
}

/** UIDs rise with the time of arrival, but for mail that was moved or copied. */
const lookedAtMax = 500;

export async function oldestOf({ session, server }: Reading, ids: readonly string[]): Promise<Date | null> {
  const [no, uidValidity] = ids[0]?.split('.') ?? [];
  const here = foldersOf(await server()).find((each) => String(each.no) === no);
  if (here === undefined) return null;
  const uids = ids.map((id) => Number(id.split('.').at(-1))).toSorted((one, other) => one - other);
  return session.use(async (client) => {
    if ((await examine(client, here.path)).uidValidity !== uidValidity) return null;
    const times: number[] = [];
    const some = uids.slice(0, lookedAtMax);
    for await (const { internalDate } of client.fetch(some, { uid: true, internalDate: true }, { uid: true }))
      if (internalDate !== undefined) times.push(new Date(internalDate).getTime());
    return times.length === 0 ? null : new Date(Math.min(...times));
  });
}
