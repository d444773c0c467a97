/** How far a folder was read, and whether its server still means the same mails by its numbers. */

import { readHeaderBlock } from '@kontor/mail/header-fields.ts';
import { readMessageIds } from '@kontor/mail/message-ids.ts';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import { idsReused, ProviderFault } from '../../provider-fault.ts';
import { examine, type FolderState, searchUids } from './connection.ts';

export type Place = Pick<FolderState, 'uidValidity' | 'uidNext'> &
  Partial<Pick<FolderState, 'exists' | 'modseq'>> & {
    /** The youngest mails: UID and mark. Empty for an empty folder; missing where they did not show. */
    samples?: [uid: number, mark: string][];
  };

const samplesMax = 3;
/** What `messageIdOf` needs of a FETCH. */
export const idFields = { headers: ['message-id'] };
const markFields = { uid: true, internalDate: true, size: true, ...idFields };

/** Lists the mails that came after a place, and the place after them. Throws when the place means nothing any more. */
export async function lookAt(client: ImapFlow, path: string, known: Place): Promise<{ place: Place; uids: number[] }> {
  const now = await examine(client, path);
  if (known.uidValidity !== now.uidValidity || isBack(now, known)) throw renumbered(path);
  if (isUnchanged(now, known)) return { place: known, uids: [] };
  if (await hasOthers(client, known)) throw renumbered(path);
  const from = known.uidNext;
  const isSame = now.uidNext > 0 && now.uidNext === from;
  const uids = isSame ? [] : await searchUids(client, { uid: `${from}:*` }, from);
  const uidNext = Math.max(from, (uids.at(-1) ?? 0) + 1);
  return { place: await withSamples(client, { ...now, uidNext }), uids };
}

/** The place after all mails that are there now. */
export async function placeNow(client: ImapFlow, path: string): Promise<Place> {
  const state = await examine(client, path);
  if (state.uidNext > 0) return withSamples(client, state);
  const last = (await searchUids(client, { all: true })).at(-1) ?? 0;
  return withSamples(client, { ...state, uidNext: last + 1 });
}

function renumbered(path: string): ProviderFault {
  return new ProviderFault('cursor-lost', idsReused, `The server has numbered the mails of ${path} anew.`);
}

/** CONDSTORE: a folder with the same counter needs no further question. */
function isUnchanged(now: FolderState, known: Place): boolean {
  return (
    now.modseq !== null &&
    now.modseq === known.modseq &&
    now.exists === known.exists &&
    now.uidNext === known.uidNext &&
    known.samples !== undefined
  );
}

/** Some servers number mails anew and keep UIDVALIDITY. Then the next UID may be lower, … */
function isBack(now: FolderState, known: Place): boolean {
  return now.uidNext > 0 && now.uidNext < known.uidNext;
}

/** … or other mails have the UIDs of mails that we know. */
async function hasOthers(client: ImapFlow, { uidNext, samples }: Place): Promise<boolean> {
  if (samples === undefined) return false;
  if (samples.length === 0) {
    // UIDs only rise, so no mail can have come to an empty folder below the next UID.
    const below = uidNext > 1 ? await searchUids(client, { uid: `1:${uidNext - 1}` }) : [];
    return below.some((uid) => uid < uidNext);
  }
  const marks = new Map(samples);
  for await (const mail of client.fetch([...marks.keys()], markFields, { uid: true })) {
    const mark = marks.get(mail.uid);
    if (mark !== undefined && mark !== markOf(mail)) return true;
  }
  return false;
}

async function withSamples(client: ImapFlow, state: FolderState): Promise<Place> {
  const { mailbox } = client;
  const exists = mailbox === false ? 0 : mailbox.exists;
  if (exists === 0) return state.exists === 0 && state.uidNext > 0 ? { ...state, samples: [] } : state;
  const samples: [number, string][] = [];
  const youngest = `${Math.max(1, exists - samplesMax + 1)}:${exists}`;
  for await (const mail of client.fetch(youngest, markFields))
    if (state.uidNext === 0 || mail.uid < state.uidNext) samples.push([mail.uid, markOf(mail)]);
  return samples.length === 0 ? state : { ...state, samples };
}

/** Tells mails apart. Servers may estimate a size, and a Message-ID is certain. */
function markOf(mail: FetchMessageObject): string {
  const { internalDate, size } = mail;
  return (
    messageIdOf(mail)?.slice(0, markCharsMax) ??
    `${internalDate === undefined ? '' : new Date(internalDate).getTime()}/${size}`
  );
}

const markCharsMax = 200;

export function messageIdOf({ headers }: Pick<FetchMessageObject, 'headers'>): string | null {
  if (headers === undefined) return null;
  const { fields } = readHeaderBlock(headers, 0, headers.length);
  return readMessageIds(fields.find(({ name }) => name === 'message-id')?.value ?? '')[0] ?? null;
}
