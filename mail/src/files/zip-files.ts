import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { withoutInvisible } from '../invisible.ts';
import { isMailName, type MailFile, type SkipReason, UnreadableFile } from './mail-file.ts';

/**
 * A file of an archive, or why it cannot be read. `share` is how much of the archive comes before it, from 0 to 1, and
 * `width` how much is its own.
 */
export type ZippedFile = { share: number; width: number } & (
  | { file: MailFile }
  | { source: string; skipped: SkipReason }
);

export type ZipLimits = {
  /** How many files an archive may have, folders included. */
  filesMax: number;
  /** All that an archive unpacks to, as a multiple of its size. Mail shrinks to a tenth; a bomb to a thousandth. */
  ratioMax: number;
  /** The bytes to which a small archive may unpack in any case. */
  unpackedBytesMin: number;
};

const limitsDefault: ZipLimits = { filesMax: 200_000, ratioMax: 100, unpackedBytesMin: 64 * 1024 * 1024 };
const nameCharsMax = 300;

/**
 * Lists the files of a zip archive in the order of its directory. Nothing is unpacked before a file is opened, and
 * nothing is written: names of files are only shown. Hidden files and folders are passed over.
 * The limits count the bytes that are really unpacked, because an archive may lie about its sizes.
 */
export async function* filesOfZip(
  { path, source }: { path: string; source: string },
  limits: Partial<ZipLimits> = {},
): AsyncGenerator<ZippedFile> {
  const { filesMax, ratioMax, unpackedBytesMin } = { ...limitsDefault, ...limits };
  const zip = await openZip(path);
  if (zip === undefined) {
    yield { share: 0, width: 0, source, skipped: 'damaged' };
    return;
  }
  const budget = { leftBytes: Math.max(zip.fileSize * ratioMax, unpackedBytesMin) };
  let count = 0;
  let share = 0;
  try {
    for await (const entry of entriesOf(zip)) {
      if (count === filesMax) {
        yield { share, width: 0, source, skipped: 'too-many-files' };
        return;
      }
      count++;
      const width = Math.min(entry.compressedSize / zip.fileSize, 1 - share);
      const name = nameOf(entry);
      if (!isPassedOver(name)) yield { share, width, ...zippedFile(zip, entry, { archive: source, name, budget }) };
      if (budget.leftBytes < 0) return;
      share += width;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield { share, width: 0, source, skipped: error.reason };
  } finally {
    zip.close();
  }
}

/** Undefined for a file that is no whole archive. */
async function openZip(path: string): Promise<ZipFile | undefined> {
  try {
    // Names stay bytes here, because the library would refuse an archive with one odd name.
    return await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
  } catch {
    return undefined;
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    const { value, done } = await entries.next().catch((cause: unknown) => {
      throw new UnreadableFile('damaged', { cause });
    });
    if (done === true) return;
    yield value;
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

/** Folders, hidden files, and what macOS adds. */
function isPassedOver(name: string): boolean {
  const parts = name.split('/');
  return name.endsWith('/') || parts.includes('__MACOSX') || (parts.at(-1)?.startsWith('.') ?? false);
}

function shownName(name: string): string {
  return withoutInvisible(name.toWellFormed()).slice(0, nameCharsMax).toWellFormed();
}

function whyNot(entry: Entry): SkipReason | undefined {
  if (entry.isEncrypted()) return 'encrypted';
  return entry.canDecodeFileData() ? undefined : 'unknown-compression';
}

type Budget = { leftBytes: number };

function zippedFile(
  zip: ZipFile,
  entry: Entry,
  { archive, name, budget }: { archive: string; name: string; budget: Budget },
): { file: MailFile } | { source: string; skipped: SkipReason } {
  const source = `${archive}/${shownName(name)}`;
  const skipped = whyNot(entry);
  if (skipped !== undefined) return { source, skipped };
  const file: MailFile = {
    source,
    isMailByName: isMailName(name),
    fileName: name.split('/').at(-1) ?? name,
    folders: name.split('/').slice(0, -1),
    sizeBytes: () => entry.uncompressedSize,
    open: () => unpack(zip, entry, budget),
  };
  return { file };
}

async function* unpack(zip: ZipFile, entry: Entry, budget: Budget): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    // Leaving the loop destroys the stream.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      budget.leftBytes -= chunk.length;
      if (budget.leftBytes < 0) throw new UnreadableFile('unpacks-too-far');
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (cause) {
    throw cause instanceof UnreadableFile ? cause : new UnreadableFile('damaged', { cause });
  }
  if (sum !== entry.crc32) throw new UnreadableFile('damaged');
}
