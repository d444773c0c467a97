import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import { type CopiedRows, type Dump, openDump } from '../../ground/database/dump-tables.ts';
import { syncFolder, writeWhole } from '../../ground/lib/durable-file.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { contentsStatement, recordStatements, ticketIdsStatement, ticketsStatement } from './export-statements.ts';
import { fileOf, format, type Manifest, pathOfFile, pathOfMail, type RecordFile, recordFiles } from './format.ts';

export type ExportProgress = { tickets: number; filesCopied: number; filesThere: number };

export type ExportSource = { databaseUrl: string; blobs: Blobs; workspaceId: WorkspaceId };

const ticketsAtOnce = 200;
const filesAtOnce = 16;

/**
 * Writes a workspace into a folder. All records are of one moment. Files that an earlier or a killed export has written
 * are not copied again. The manifest comes last: a folder without a manifest is unfinished.
 */
export async function writeExport(
  folder: string,
  { databaseUrl, blobs, workspaceId }: ExportSource,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<ExportProgress & { missing: string[] }> {
  const progress: ExportProgress = { tickets: 0, filesCopied: 0, filesThere: 0 };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(join(folder, 'manifest.json'), { force: true });
  const records: Manifest['records'] = [];
  const contents: Content[] = [];
  {
    await using dump = await openDump(databaseUrl, { readsByKey: true });
    const statements = recordStatements(workspaceId);
    for (const name of recordFiles) {
      const lines =
        name === 'tickets'
          ? ticketLines(dump, workspaceId, (count) => {
              progress.tickets += count;
              onProgress(progress);
            })
          : jsonLines(dump.copyQuery(statements[name]));
      records.push(await writeRecords(folder, name, lines));
    }
    for await (const line of textLines(dump.copyQuery(contentsStatement(workspaceId)))) contents.push(contentOf(line));
  }
  // The snapshot has ended, so that copying files for hours does not keep the database from vacuum.
  const missing: string[] = [];
  await Readable.from(contents).forEach(
    async (content: Content) => {
      const outcome = await copyContent(blobs, workspaceId, folder, content);
      if (outcome === 'missing') missing.push(content.path);
      else progress[outcome === 'there' ? 'filesThere' : 'filesCopied'] += 1;
      onProgress(progress);
    },
    { concurrency: filesAtOnce },
  );
  await removeOthers(folder, new Set(contents.map(({ path }) => path)));
  const mails = contents.filter(({ kind }) => kind === 'mail').length;
  const manifest: Manifest = { format, records, files: contents.length - mails, mails, missing: missing.sort() };
  await writeWhole(join(folder, 'manifest.json'), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), {
    mode: 0o600,
  });
  await syncFolder(folder);
  return { ...progress, missing };
}

/** Removes files of an earlier export that the workspace does not have any more. */
async function removeOthers(folder: string, named: ReadonlySet<string>): Promise<void> {
  for (const place of ['files', 'mail'])
    for (const name of await readdir(join(folder, place), { recursive: true }).catch(() => [])) {
      const path = `${place}/${name.replaceAll('\\', '/')}`;
      if (name.length > 2 && !named.has(path)) await rm(join(folder, path), { force: true });
    }
}

async function writeRecords(
  folder: string,
  name: RecordFile,
  lines: AsyncIterable<string>,
): Promise<Manifest['records'][number]> {
  const hash = createHash('sha256');
  const written = { file: fileOf(name), lines: 0, bytes: 0 };
  const bytes = async function* () {
    for await (const line of lines) {
      const chunk = Buffer.from(`${line}\n`);
      hash.update(chunk);
      written.lines += 1;
      written.bytes += chunk.length;
      yield chunk;
    }
  };
  await writeWhole(join(folder, written.file), bytes(), { mode: 0o600 });
  return { ...written, sha256: hash.digest('hex') };
}

/** In pages, because the database sorts each statement's rows in memory. */
async function* ticketLines(
  dump: Dump,
  workspaceId: WorkspaceId,
  onTickets: (count: number) => void,
): AsyncGenerator<string> {
  const ids: string[] = [];
  for await (const id of textLines(dump.copyQuery(ticketIdsStatement(workspaceId)))) ids.push(id);
  for (let at = 0; at < ids.length; at += ticketsAtOnce) {
    const page = ids.slice(at, at + ticketsAtOnce);
    yield* withEnds(jsonLines(dump.copyQuery(ticketsStatement(workspaceId, page))));
    onTickets(page.length);
  }
}

/** Closes each ticket with the number of its lines, by which an import knows that it is whole. */
async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let count = 0;
  for await (const line of lines) {
    if (count > 0 && line.startsWith('{"kind":"ticket"')) {
      yield endOfTicket(count);
      count = 0;
    }
    yield line;
    count += 1;
  }
  if (count > 0) yield endOfTicket(count);
}

function endOfTicket(lines: number): string {
  return JSON.stringify({ kind: 'end', lines });
}

/** JSON has no control characters, so COPY escapes nothing but the backslash. */
async function* jsonLines(rows: CopiedRows): AsyncGenerator<string> {
  for await (const line of textLines(rows)) yield line.replaceAll('\\\\', '\\');
}

async function* textLines({ bytes }: CopiedRows): AsyncGenerator<string> {
  let failure: Error | undefined;
  const lines = createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY });
  // The reader of lines would end as if the rows had ended.
  bytes.once('error', (error: Error) => {
    failure = error;
    lines.close();
  });
  yield* lines;
  if (failure !== undefined) throw failure;
}

type Content = { kind: 'file' | 'mail'; sha256: string; path: string };

function contentOf(line: string): Content {
  const [kind, sha256 = ''] = line.split('\t');
  return kind === 'mail'
    ? { kind, sha256, path: pathOfMail(sha256) }
    : { kind: 'file', sha256, path: pathOfFile(sha256) };
}

/** `missing`: the storage has lost the bytes, or they are not those of their name. */
async function copyContent(
  blobs: Blobs,
  workspaceId: WorkspaceId,
  folder: string,
  { kind, sha256, path }: Content,
): Promise<'copied' | 'there' | 'missing'> {
  const target = join(folder, path);
  if (await stat(target).catch(() => undefined)) return 'there';
  const bytes = await (kind === 'mail' ? blobs.packed : blobs).open(workspaceId, sha256);
  if (bytes === undefined) return 'missing';
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  try {
    await writeWhole(target, sameBytes(bytes, sha256), { mode: 0o600 });
    return 'copied';
  } catch (error) {
    if (error instanceof DamagedFile || String((error as { code?: unknown }).code).startsWith('Z_')) return 'missing';
    throw error;
  }
}

class DamagedFile extends Error {}

/** Passes the bytes on, and throws at their end when their hash is another. */
async function* sameBytes(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new DamagedFile();
}
