/** Reads mail of an IMAP server. Changes nothing there. */

import { readHeaderBlock } from '@kontor/mail/header-fields.ts';
import type { ImapFlow } from 'imapflow';
import {
  type FetchedMail,
  type FoundMail,
  type MailServer,
  type ProviderAccount,
  sentFolderNo,
} from '../../provider.ts';
import { idsReused, ProviderFault } from '../../provider-fault.ts';
import { examine, type ImapSession, opened, searchUids } from './connection.ts';
import { mailBytesMax } from './faults.ts';
import { idFields, lookAt, messageIdOf, type Place, placeNow } from './place.ts';

type Folder = { no: number; path: string; folder: FoundMail['folder'] };
type Cursor = { v: 1; folders: (Place & { path: string })[] };
export type Reading = { session: ImapSession; server: () => Promise<MailServer> };
const pageMails = 200;
/** Above this, the arrivals of new mails are told beforehand. */
const manyMails = 100;

/** Sent mail comes first: see the places of Gmail. */
export function foldersOf({ inboxPaths, sentPath }: MailServer): Folder[] {
  const inboxes = inboxPaths.flatMap((path, at): Folder[] =>
    path === '' ? [] : [{ no: at + 1, path, folder: 'inbox' }],
  );
  return sentPath === null ? inboxes : [{ no: sentFolderNo, path: sentPath, folder: 'sent' }, ...inboxes];
}

export async function takeAnchor({ session, server }: Reading): Promise<string> {
  const cursor: Cursor = { v: 1, folders: [] };
  for (const { path } of foldersOf(await server()))
    cursor.folders.push({ path, ...(await session.use((client) => placeNow(client, path))) });
  return JSON.stringify(cursor);
}

export async function* changesSince(
  { session, server }: Reading,
  text: string,
): ReturnType<ProviderAccount['changes']> {
  const cursor = readCursor(text);
  const next: Cursor = { v: 1, folders: [] };
  let gone: ProviderFault | undefined;
  for (const { no, path, folder } of foldersOf(await server())) {
    const known = cursor.folders.find((each) => each.path === path);
    // A folder that somebody chose just now: its older mail is found by the comparisons.
    const look = session.use(async (client) =>
      known === undefined ? { place: await placeNow(client, path), uids: [] } : lookAt(client, path, known),
    );
    const seen = await look.catch((error: unknown) => {
      // The mail of the other folders does not wait until somebody brings this folder back.
      if (!(error instanceof ProviderFault) || error.code !== 'no_folder') throw error;
      gone ??= error;
    });
    if (seen === undefined) {
      if (known !== undefined) next.folders.push(known);
      continue;
    }
    const { place, uids } = seen;
    if (folder === 'inbox' && uids.length > manyMails)
      yield { found: [], cursor: null, arrivals: await session.use((client) => arrivalsOf(client, path, uids)) };
    for (let at = 0; at < uids.length; at += pageMails)
      yield { found: named(uids.slice(at, at + pageMails), { no, folder, ...place }), cursor: null };
    next.folders.push({ path, ...place });
  }
  yield { found: [], cursor: JSON.stringify(next) };
  if (gone !== undefined) throw gone;
}

async function arrivalsOf(client: ImapFlow, path: string, uids: readonly number[]): Promise<Date[]> {
  await opened(client, path);
  const arrivals: Date[] = [];
  const parts = { uid: true, internalDate: true, headers: ['received'] };
  for await (const { internalDate, headers } of client.fetch([...uids], parts, { uid: true }))
    arrivals.push(arrivalOf(headers ?? Buffer.alloc(0), storedAt(internalDate)));
  return arrivals;
}

export function readCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(text);
    if (cursor.v === 1) return cursor;
  } catch {
    // It is of another provider or release.
  }
  throw new ProviderFault('cursor-lost', 'unreadable', 'The place up to which the mailbox was read is unreadable.');
}

/** A mail's name: `<folder no>.<uidValidity>.<uid>`. */
export function named(
  uids: readonly number[],
  { no, folder, uidValidity }: Pick<Folder, 'no' | 'folder'> & Pick<Place, 'uidValidity'>,
): FoundMail[] {
  return uids.map((uid) => ({ providerId: `${no}.${uidValidity}.${uid}`, folder }));
}

const dayMs = 86_400_000;
/** SEARCH compares dates only, in the time zone of the server. */
const zoneMs = 2 * dayMs;

/** `next` is `<folder no>.<uidValidity>.<uid>` of the last mail of the page. */
export async function mailSince(
  { session, server }: Reading,
  since: Date,
  page: string,
): Promise<{ found: FoundMail[]; next: string | null }> {
  const folders = foldersOf(await server());
  const [no = '', validity = '', last = '0'] = page.split('.');
  const at = page === '' ? 0 : folders.findIndex((each) => each.no === Number(no));
  const here = folders[at];
  if (here === undefined) throw new ProviderFault('cursor-lost', 'folder_gone', 'The folder is no longer read.');
  return session.use(async (client) => {
    const { uidValidity } = await examine(client, here.path);
    if (validity !== '' && validity !== uidValidity)
      throw new ProviderFault('cursor-lost', idsReused, `The server has numbered the mails of ${here.path} anew.`);
    const query = { since: new Date(since.getTime() - zoneMs) };
    const uids = await searchUids(client, query, Number(last) + 1);
    const some = uids.slice(0, pageMails);
    const young: number[] = [];
    const shown = new Map<number, string | null>();
    if (some.length > 0)
      for await (const mail of client.fetch(some, { uid: true, internalDate: true, ...idFields }, { uid: true })) {
        shown.set(mail.uid, messageIdOf(mail));
        if (mail.internalDate === undefined || new Date(mail.internalDate) >= since) young.push(mail.uid);
      }
    const next = folders[at + 1];
    const left = uids.length > some.length ? `${here.no}.${uidValidity}.${some.at(-1)}` : undefined;
    // Some servers leave mails out. They show when they are asked for by themselves.
    const inOrder = [...young, ...some.filter((uid) => !shown.has(uid))].toSorted((one, other) => one - other);
    const found = named(inOrder, { ...here, uidValidity }).map((mail, position) => ({
      ...mail,
      rfcMessageId: shown.get(inOrder[position] ?? 0) ?? null,
    }));
    return { found, next: left ?? (next === undefined ? null : `${next.no}`) };
  });
}

type Skipped = Exclude<Awaited<ReturnType<ProviderAccount['fetch']>>, FetchedMail>;

export async function fetchMail(
  { session, server }: Reading,
  { providerId, folder }: FoundMail,
): Promise<FetchedMail | Skipped> {
  const [, no, validity, uid = ''] = /^(\d+)\.(\d+)\.(\d+)$/.exec(providerId) ?? [];
  const here = foldersOf(await server()).find((each) => each.no === Number(no));
  if (here === undefined) return { skipped: 'missing' };
  return session.use(async (client) => {
    const { uidValidity } = await opened(client, here.path);
    if (uidValidity !== validity) return { skipped: 'missing' };
    // In one command, because each takes a round trip. imapflow asks for BODY.PEEK[], which marks nothing as seen.
    const parts = { uid: true, size: true, flags: true, internalDate: true, source: { maxLength: mailBytesMax } };
    const ask = () => client.fetchOne(uid, parts, { uid: true });
    let about = await ask();
    if (about === false) {
      // The mail may have come after the folder was opened.
      await examine(client, here.path);
      about = await ask();
    }
    if (about === false) return { skipped: 'missing' };
    if (about.flags?.has('\\Draft')) return { skipped: 'draft' };
    if (about.flags?.has('\\Deleted')) return { skipped: 'deleted' };
    if ((about.size ?? 0) > mailBytesMax)
      throw new ProviderFault('refused', 'too_large', `The mail has more than ${mailBytesMax} bytes.`);
    const raw = about.source;
    // imapflow says `false` for a NIL of the server.
    if (!Buffer.isBuffer(raw) || raw.length === 0)
      throw new ProviderFault('refused', 'no_mail', 'The server lists a mail, and answers without it.');
    const stored = storedAt(about.internalDate);
    const receivedAt = folder === 'sent' ? stored : arrivalOf(raw, stored);
    return { providerId, folder, isFiled: false, threadId: null, receivedAt, raw };
  });
}

function storedAt(internalDate: Date | string | undefined): Date {
  const internal = new Date(internalDate ?? Number.NaN);
  return Number.isNaN(internal.getTime()) ? new Date() : internal;
}

/**
 * When a mail arrived. A server that takes over old mail may call all of it new, but the mail's own `Received` tells
 * better. A wrong clock in the future counts for nothing.
 */
function arrivalOf(raw: Buffer, stored: Date): Date {
  const { fields } = readHeaderBlock(raw, 0, raw.length);
  const trace = fields.find(({ name }) => name === 'received')?.value;
  const received = Date.parse(
    trace
      ?.split(';')
      .at(-1)
      ?.replace(/\([^()]*\)/g, '')
      .trim() ?? '',
  );
  return received > 0 && received < stored.getTime() ? new Date(received) : stored;
}
