/** Reads the mail folders of other programs for import: .eml files, mbox files, Maildirs, and folders of these. */
import { createReadStream, type Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldOf, readHeaderBlock } from './header-fields.ts';
import { splitMbox } from './mbox.ts';

export type FoundMail =
  /** `source` is the file's path. In an mbox, `#` and the mail's offset in bytes follow. */
  | { source: string; raw: Buffer }
  | { source: string; tooLarge: true; sizeBytes: number }
  /** A file that is not a mail, or a file or folder that could not be read. The import continues. */
  | { source: string; skipped: 'not-a-mail' | 'unreadable' };

const MAIL_BYTES_MAX = 50 * 1024 * 1024;

/**
 * Reads every mail below a path, sorted by the names of files and folders.
 * - The content of a file decides its kind: an mbox begins with a `From ` line, a mail with typical header fields.
 * - A folder with `cur` or `new` is a Maildir. Its files count as mails, whatever their names.
 * - A file that `path` names, or that ends in .eml, counts as a mail, so that the import keeps damaged mails.
 * - Hidden files, symbolic links and the `tmp` folder of a Maildir are skipped.
 * Holds one mail of at most `sizeBytesMax` and the names of the open folders in memory.
 * @throws when the path itself cannot be read
 */
export async function* readMails(path: string, sizeBytesMax: number = MAIL_BYTES_MAX): AsyncGenerator<FoundMail> {
  const stats = await stat(path);
  if (stats.isDirectory()) yield* readFolder(path, await sortedEntries(path), sizeBytesMax, 0);
  else yield* readMailFile(path, sizeBytesMax, true);
}

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

async function* readFolder(
  folder: string,
  entries: readonly Dirent[],
  sizeBytesMax: number,
  depth: number,
): AsyncGenerator<FoundMail> {
  const maildirParts = entries.filter((entry) => entry.isDirectory() && (entry.name === 'cur' || entry.name === 'new'));
  if (maildirParts.length > 0) yield* readMaildir(folder, maildirParts, sizeBytesMax);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isMaildir = maildirParts.length > 0;
    const isHidden = entry.name.startsWith('.');
    if (entry.isDirectory()) {
      // Maildir++ keeps its folders in hidden folders (`.Sent/cur`).
      const isEntered = isMaildir ? !['cur', 'new', 'tmp'].includes(entry.name) : !isHidden;
      if (!isEntered) continue;
      if (depth < FOLDER_DEPTH_MAX) yield* readFolderBelow(path, sizeBytesMax, depth + 1);
      else yield { source: path, skipped: 'unreadable' };
    } else if (entry.isFile() && !isHidden && !isMaildir) {
      yield* readMailFile(path, sizeBytesMax, /\.eml$/i.test(entry.name));
    }
  }
}

async function* readFolderBelow(folder: string, sizeBytesMax: number, depth: number): AsyncGenerator<FoundMail> {
  const entries = await entriesIfReadable(folder);
  if (entries === null) yield { source: folder, skipped: 'unreadable' };
  else yield* readFolder(folder, entries, sizeBytesMax, depth);
}

/**
 * File names in `cur` and `new` begin with the time of delivery, so sorting both together gives the order of arrival.
 */
async function* readMaildir(folder: string, parts: readonly Dirent[], sizeBytesMax: number): AsyncGenerator<FoundMail> {
  const files: { name: string; path: string }[] = [];
  for (const part of parts) {
    const entries = await entriesIfReadable(join(folder, part.name));
    if (entries === null) yield { source: join(folder, part.name), skipped: 'unreadable' };
    for (const entry of entries ?? []) {
      if (entry.isFile() && !entry.name.startsWith('.')) {
        files.push({ name: entry.name, path: join(folder, part.name, entry.name) });
      }
    }
  }
  files.sort(byName);
  for (const { path } of files) yield await readWhole(path, sizeBytesMax);
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

async function* readMailFile(path: string, sizeBytesMax: number, isMailByName: boolean): AsyncGenerator<FoundMail> {
  const kind = await kindOf(path);
  if (kind === 'mbox') yield* readMbox(path, sizeBytesMax);
  else if (kind === 'mail' || (kind === 'other' && isMailByName)) yield await readWhole(path, sizeBytesMax);
  else yield { source: path, skipped: kind === 'other' ? 'not-a-mail' : 'unreadable' };
}

async function kindOf(path: string): Promise<'mbox' | 'mail' | 'other' | 'unreadable'> {
  try {
    const file = await open(path, 'r');
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return kindOfHead(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return 'unreadable';
  }
}

function kindOfHead(head: Buffer): 'mbox' | 'mail' | 'other' {
  const start = head.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  if (start === -1) return 'other';
  const isMbox = head.toString('latin1', start, start + 5) === 'From ';
  const headerStart = isMbox ? head.indexOf(0x0a, start) + 1 : start;
  const { fields } = readHeaderBlock(head, headerStart, head.length);
  if (isMbox && fields.length > 0) return 'mbox';
  return MAIL_FIELDS.some((name) => fieldOf(fields, name) !== null) ? 'mail' : 'other';
}

async function readWhole(path: string, sizeBytesMax: number): Promise<FoundMail> {
  try {
    const { size } = await stat(path);
    if (size > sizeBytesMax) return { source: path, tooLarge: true, sizeBytes: size };
    return { source: path, raw: await readFile(path) };
  } catch {
    // Another program may move a file of the Maildir meanwhile. The next import finds it.
    return { source: path, skipped: 'unreadable' };
  }
}

async function* readMbox(path: string, sizeBytesMax: number): AsyncGenerator<FoundMail> {
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  let isCut = false;
  try {
    for await (const { offsetBytes, ...mail } of splitMbox(stream, sizeBytesMax)) {
      isCut = true;
      yield { source: `${path}#${offsetBytes}`, ...mail };
    }
  } catch (error) {
    // An error of the stream is a problem of the file. Any other error is a bug.
    if (stream.errored === null) throw error;
    yield { source: path, skipped: 'unreadable' };
    return;
  } finally {
    stream.destroy();
  }
  if (!isCut) yield await readWhole(path, sizeBytesMax);
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
