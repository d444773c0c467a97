/** Reads the mail files of other programs for import: .eml, .emlx, mbox, Maildirs, archives, and folders of these. */
import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fieldOf, readHeaderBlock } from '../header-fields.ts';
import { fromMacintosh, isMacintosh } from '../line-ends.ts';
import { readEmlx, startOfEmlx } from './emlx.ts';
import type { LeftOut } from './folder-words.ts';
import { isInternalMail, leftOutOf } from './left-out.ts';
import { blankBytesOf, headerStartOf, isFromLine, plainMbox } from './mail-beginning.ts';
import { isMailName, type MailFile, type SkipReason, UnreadableFile } from './mail-file.ts';
import { splitMbox } from './mbox.ts';
import { filesOfZip, type ZipLimits } from './zip-files.ts';

export type MailOfFile = {
  /** The file's path. In an mbox, `#` and the mail's offset in bytes follow. */
  source: string;
} & (
  | { raw: Buffer }
  | { tooLarge: true; sizeBytes: number }
  /** A mail that is no correspondence, as the notes of the mail program say. */
  | { leftOut: LeftOut }
  /** A file that is not a mail, or a file or folder that could not be read. The import continues. */
  | { skipped: SkipReason }
);

/** `share` is how much of the file comes before this mail, from 0 to 1. */
export type FoundMail = MailOfFile & { share: number };

export type ReadOptions = {
  sizeBytesMax?: number;
  /** What `source` shows instead of the path. */
  name?: string;
  /** Whether the file that `path` names counts as a mail even if it does not look like a mail. */
  isMailByName?: boolean;
  zipLimits?: Partial<ZipLimits>;
};

const MAIL_BYTES_MAX = 50 * 1024 * 1024;

/**
 * Reads every mail below a path, sorted by the names of files and folders.
 * - The content of a file decides its kind: an mbox begins with a `From ` line, a mail with typical header fields,
 *   one of Apple Mail with its size.
 * - A folder with `cur` or `new` is a Maildir. Its files count as mails, under any name.
 * - A file that `path` names, or that ends in .eml or .emlx, counts as a mail, so that the import keeps damaged mails.
 * - The files of a zip archive are read like those of a folder, but not an archive in an archive.
 * - Hidden files, symbolic links and the `tmp` folder of a Maildir are skipped.
 * - Drafts, deleted mail, spam and chats are left out: by the name of their folder or mbox file, or by the notes of
 *   mail programs.
 * Holds one mail of at most `sizeBytesMax` and the names of the open folders in memory.
 * @throws when the path itself cannot be read
 */
export async function* readMails(
  path: string,
  { sizeBytesMax = MAIL_BYTES_MAX, name = path, isMailByName = true, zipLimits }: ReadOptions = {},
): AsyncGenerator<FoundMail> {
  const stats = await stat(path);
  const limits = { sizeBytesMax, zipLimits };
  if (stats.isDirectory()) {
    yield* readFolder({ path, names: [basename(resolve(path))] }, await sortedEntries(path), limits);
  } else yield* readFile(diskFile(path, { source: name, isMailByName, folders: [] }), limits);
}

type Limits = { sizeBytesMax: number; zipLimits: Partial<ZipLimits> | undefined };

const FOLDER_DEPTH_MAX = 50;
const HEAD_BYTES = 16_384;
const CHUNK_BYTES = 1_048_576;
/** One of these fields tells a mail from other files with header-like lines. */
const MAIL_FIELDS = [
  'from',
  'date',
  'message-id',
  'received',
  'return-path',
  'subject',
  'mime-version',
  'delivered-to',
];

/** A folder, and the names of the folders down to it. */
type Folder = { path: string; names: readonly string[] };

async function* readFolder(
  { path: folder, names }: Folder,
  entries: readonly Dirent[],
  limits: Limits,
): AsyncGenerator<FoundMail> {
  const maildirParts = entries.filter((entry) => entry.isDirectory() && (entry.name === 'cur' || entry.name === 'new'));
  if (maildirParts.length > 0) yield* readMaildir({ path: folder, names }, maildirParts, limits);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isMaildir = maildirParts.length > 0;
    const isHidden = entry.name.startsWith('.');
    if (entry.isDirectory()) {
      // Maildir++ keeps its folders in hidden folders (`.Sent/cur`).
      const isEntered = isMaildir ? !['cur', 'new', 'tmp'].includes(entry.name) : !isHidden;
      if (!isEntered) continue;
      if (names.length <= FOLDER_DEPTH_MAX) yield* readFolderBelow({ path, names: [...names, entry.name] }, limits);
      else yield skip(path, 'unreadable');
    } else if (entry.isFile() && !isHidden && !isMaildir) {
      const isMailByName = isMailName(entry.name);
      yield* readFile(diskFile(path, { source: path, isMailByName, folders: names }), limits);
    }
  }
}

async function* readFolderBelow(folder: Folder, limits: Limits): AsyncGenerator<FoundMail> {
  const entries = await entriesIfReadable(folder.path);
  if (entries === null) yield skip(folder.path, 'unreadable');
  else yield* readFolder(folder, entries, limits);
}

/**
 * File names in `cur` and `new` begin with the time of delivery, so sorting both together gives the order of arrival.
 */
async function* readMaildir(
  { path: folder, names: folders }: Folder,
  parts: readonly Dirent[],
  limits: Limits,
): AsyncGenerator<FoundMail> {
  const files: { name: string; path: string }[] = [];
  for (const part of parts) {
    const entries = await entriesIfReadable(join(folder, part.name));
    if (entries === null) yield skip(join(folder, part.name), 'unreadable');
    for (const entry of entries ?? []) {
      if (entry.isFile() && !entry.name.startsWith('.')) {
        files.push({ name: entry.name, path: join(folder, part.name, entry.name) });
      }
    }
  }
  files.sort(byName);
  for (const { path } of files) {
    yield* readFile(diskFile(path, { source: path, isMailByName: true, folders }), limits, 'mail');
  }
}

async function sortedEntries(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true })).sort(byName);
}

/** Returns null for a folder that is gone, forbidden or on a broken disk. The import of other folders must continue. */
async function entriesIfReadable(folder: string): Promise<Dirent[] | null> {
  return sortedEntries(folder).catch(() => null);
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** A file on the disk. */
function diskFile(path: string, about: Pick<MailFile, 'source' | 'isMailByName' | 'folders'>): MailFile {
  let sizeBytes = 0;
  return {
    ...about,
    // An upload has the name that its person gave it.
    fileName: basename(about.source),
    path,
    sizeBytes: () => sizeBytes,
    open: async function* () {
      try {
        await using file = await open(path, 'r');
        sizeBytes = (await file.stat()).size;
        const highWaterMark = Math.min(Math.max(sizeBytes, 1), CHUNK_BYTES);
        yield* file.createReadStream({ highWaterMark, autoClose: false }) as AsyncIterable<Buffer>;
      } catch (cause) {
        // Another program may move a file of a Maildir meanwhile. The next import finds it.
        throw new UnreadableFile('unreadable', { cause });
      }
    },
  };
}

function skip(source: string, skipped: SkipReason, share = 0): FoundMail {
  return { source, share, skipped };
}

/** @param knownKind otherwise the content tells it */
async function* readFile(file: MailFile, limits: Limits, knownKind?: 'mail'): AsyncGenerator<FoundMail> {
  const bytes = file.open();
  try {
    const { head, isWhole } = await takeHead(bytes);
    const kind = knownKind ?? kindOfHead(head);
    const all = isWhole ? chunksOf(head) : chunksOf(head, bytes);
    if (kind === 'zip' && file.path !== undefined) {
      yield* readZip({ path: file.path, source: file.source }, limits);
    } else if (kind === 'zip') yield skip(file.source, 'archive-in-archive');
    else if (kind === 'empty') yield skip(file.source, 'empty-file');
    else if (kind === 'mbox') {
      const folders = [...file.folders, file.fileName];
      for await (const mail of readMbox(file, plainMbox(head, all), limits)) yield judged({ ...file, folders }, mail);
    } else if (kind === 'emlx') yield judgedEmlx(file, await readWhole(file, all, limits));
    else if (kind === 'mail' || file.isMailByName) yield judged(file, await readWhole(file, all, limits));
    else yield skip(file.source, 'not-a-mail');
  } catch (error) {
    // Any other error is a bug.
    if (!(error instanceof UnreadableFile)) throw error;
    yield skip(file.source, error.reason);
  } finally {
    await bytes.return(undefined);
  }
}

async function* readZip(archive: { path: string; source: string }, limits: Limits): AsyncGenerator<FoundMail> {
  for await (const zipped of filesOfZip(archive, limits.zipLimits)) {
    if ('skipped' in zipped) yield skip(zipped.source, zipped.skipped, zipped.share);
    else {
      const { file, share, width } = zipped;
      for await (const mail of readFile(file, limits)) yield { ...mail, share: share + mail.share * width };
    }
  }
}

async function takeHead(bytes: AsyncGenerator<Buffer>): Promise<{ head: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  for (let length = 0; length < HEAD_BYTES; ) {
    const { value, done } = await bytes.next();
    if (done === true) return { head: Buffer.concat(chunks), isWhole: true };
    chunks.push(value);
    length += value.length;
  }
  return { head: Buffer.concat(chunks), isWhole: false };
}

async function* chunksOf(head: Buffer, rest?: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  if (rest !== undefined) yield* rest;
}

function kindOfHead(bytes: Buffer): 'zip' | 'mbox' | 'mail' | 'emlx' | 'other' | 'empty' {
  if (bytes.length === 0) return 'empty';
  if (/^PK(?:\x03\x04|\x05\x06)/.test(bytes.toString('latin1', 0, 4))) return 'zip';
  const head = isMacintosh(bytes) ? fromMacintosh(bytes) : bytes;
  const start = blankBytesOf(head);
  const { fields } = readHeaderBlock(head, headerStartOf(head, start), head.length);
  const isUnescaped = head[start] === 'F'.charCodeAt(0);
  if (fields.length > 0 && isUnescaped && isFromLine(head, start)) return 'mbox';
  if (isOfMail(fields)) return 'mail';
  const below = startOfEmlx(bytes);
  return below !== undefined && isOfMail(readHeaderBlock(bytes, below, bytes.length).fields) ? 'emlx' : 'other';
}

function isOfMail(fields: ReturnType<typeof readHeaderBlock>['fields']): boolean {
  return MAIL_FIELDS.some((name) => fieldOf(fields, name) !== null);
}

/** The mail of a file of Apple Mail, or why it is left out. */
function judgedEmlx(file: MailFile, found: FoundMail): FoundMail {
  const emlx = 'raw' in found ? readEmlx(found.raw) : undefined;
  if (emlx === undefined) return judged(file, found);
  const { source, share } = found;
  const { mail: raw, leftOut } = emlx;
  return leftOut === null ? judged(file, { source, share, raw }) : { source, share, leftOut };
}

/** A mail, or why it is left out. */
function judged({ folders, fileName }: Pick<MailFile, 'folders' | 'fileName'>, found: FoundMail): FoundMail {
  if (!('raw' in found)) return found;
  const { raw, ...place } = found;
  if (isInternalMail(raw)) return { ...place, skipped: 'not-a-mail' };
  const leftOut = leftOutOf(raw, { folders, fileName });
  return leftOut === null ? found : { ...place, leftOut };
}

async function readWhole(
  { source, sizeBytes }: MailFile,
  bytes: AsyncIterable<Buffer>,
  { sizeBytesMax }: Pick<Limits, 'sizeBytesMax'>,
): Promise<FoundMail> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > sizeBytesMax) return { source, share: 0, tooLarge: true, sizeBytes: Math.max(sizeBytes(), length) };
  }
  return { source, share: 0, raw: Buffer.concat(chunks, length) };
}

async function* readMbox(
  file: MailFile,
  bytes: AsyncGenerator<Buffer>,
  { sizeBytesMax }: Pick<Limits, 'sizeBytesMax'>,
): AsyncGenerator<FoundMail> {
  let isCut = false;
  for await (const { offsetBytes, ...mail } of splitMbox(bytes, sizeBytesMax)) {
    isCut = true;
    const share = offsetBytes / Math.max(file.sizeBytes(), offsetBytes, 1);
    yield { source: `${file.source}#${offsetBytes}`, share, ...mail };
  }
  if (!isCut) yield await readWhole(file, file.open(), { sizeBytesMax });
}

/** Adds up the bytes of all files below a path, for a progress bar. Unreadable files count zero. */
export async function bytesBelow(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return found?.size ?? 0;
  let bytes = 0;
  for (const entry of (await entriesIfReadable(path)) ?? [])
    if (entry.isFile() || entry.isDirectory()) bytes += await bytesBelow(join(path, entry.name));
  return bytes;
}
