import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { unknownAnswer, unreachable } from '../error.ts';
import { type components, type KontorClient, KontorError } from '../index.ts';
import { UsageError } from './faults.ts';
import { jsonLine } from './output.ts';
import { typed } from './program.ts';
import { type Command, openClient, parse, type Run } from './run.ts';
import { listQuery } from './tickets.ts';

type Message = components['schemas']['Message'];

const options = {
  status: { type: 'string', multiple: true },
  assignee: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  search: { type: 'string' },
  files: { type: 'boolean' },
} as const;

/**
 * Writes the tickets that the caller may read. The operator's export is another command, on the machine of the service:
 * it is complete, and another Kontor can load it.
 */
export const exportTickets: Command = {
  usage: typed('export <folder> [--files] [--status …] [--assignee …] [--tag …] [--search …]'),
  about:
    'Write tickets with their messages and events into a folder; with --files also original mails and attachments.',
  run: async (run, parameters) => {
    const { values, positionals } = parse(parameters, options, exportTickets.usage);
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new UsageError(`usage: ${exportTickets.usage}`);
    const kontor = await openClient(run);
    const query = { ...(await listQuery(kontor, values)), archived: 'any' as const, limit: 100, count: false };
    for (const name of ['', 'mail', 'files']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    const { signal } = run;
    const done = { tickets: 0, files: 0 };
    await writeLines(
      join(folder, 'tickets.jsonl'),
      ticketsOf(kontor, { ...run, query }, async (messages) => {
        done.tickets++;
        if (values.files) for (const message of messages) done.files += await saveFiles(kontor, run, folder, message);
      }),
    );
    await writeLines(join(folder, 'contacts.jsonl'), kontor.pages('/v1/workspaces/{workspaceId}/contacts', { signal }));
    await writeLines(join(folder, 'members.jsonl'), kontor.pages('/v1/workspaces/{workspaceId}/members', { signal }));
    if (run.output.isJson) run.output.json({ folder, ...done });
    else run.output.line(`Exported ${done.tickets} tickets and ${done.files} new files to ${folder}.`);
  },
};

type Asked = Pick<Run, 'signal'> & { query: Record<string, unknown> };

/** Each ticket with its messages and events. */
async function* ticketsOf(
  kontor: KontorClient,
  { query, signal }: Asked,
  afterEach: (messages: Message[]) => Promise<void>,
): AsyncGenerator<object, void, void> {
  const listed = kontor.pages('/v1/workspaces/{workspaceId}/tickets', { params: { query }, signal });
  for await (const { id: ticketId } of listed) {
    const params = { path: { ticketId } };
    const ticket = await kontor.get('/v1/workspaces/{workspaceId}/tickets/{ticketId}', { params, signal });
    const events: object[] = [];
    const eventPages = kontor.pages('/v1/workspaces/{workspaceId}/tickets/{ticketId}/events', { params, signal });
    for await (const event of eventPages) events.push(event);
    await afterEach(ticket.messages);
    const { drafts: _drafts, replyDefaults: _defaults, replyOffers: _offers, earlierCursor: _cursor, ...kept } = ticket;
    yield { ...kept, events };
  }
}

/** Writes a whole draft, and only then renames it, so that an interruption leaves the former file. */
async function writeLines(file: string, items: AsyncIterable<object>): Promise<void> {
  const draft = `${file}.part`;
  const stream = createWriteStream(draft, { mode: 0o600 });
  try {
    for await (const item of items) if (!stream.write(`${jsonLine(item)}\n`)) await once(stream, 'drain');
    stream.end();
    await finished(stream);
    await rename(draft, file);
  } catch (error) {
    stream.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

/** @returns how many files were new */
async function saveFiles(kontor: KontorClient, { signal }: Run, folder: string, message: Message): Promise<number> {
  let count = 0;
  // Only mail that came in has an original.
  if (message.authentication !== null) {
    const params = { path: { messageId: message.id } };
    const read = () =>
      kontor.get('/v1/workspaces/{workspaceId}/messages/{messageId}/raw', { params, signal, parseAs: 'stream' });
    count += await saveFile(join(folder, 'mail', `${nameIn(message.id, idPattern)}.eml`), read);
  }
  for (const { id: attachmentId, sha256, size } of message.attachments) {
    const params = { path: { attachmentId } };
    const read = () =>
      kontor.get('/v1/workspaces/{workspaceId}/attachments/{attachmentId}', { params, signal, parseAs: 'stream' });
    // The name of a stranger's file is no name for ours; tickets.jsonl tells which file has which name.
    count += await saveFile(join(folder, 'files', nameIn(sha256, sha256Pattern)), read, { size, sha256 });
  }
  return count;
}

const idPattern = /^[0-9a-f-]{36}$/;
const sha256Pattern = /^[0-9a-f]{64}$/;

/** A name that an answer gives becomes a path, which must not lead out of the folder. */
function nameIn(name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  throw unknownAnswer('it names a file that cannot be one');
}

async function saveFile(
  file: string,
  read: () => Promise<unknown>,
  wanted?: { size: number; sha256: string },
): Promise<number> {
  const there = await stat(file).catch(() => undefined);
  if (there !== undefined && (wanted === undefined || there.size === wanted.size)) return 0;
  const body = await read().catch((error: unknown) => {
    // The original of a mail may be gone.
    if (error instanceof KontorError && error.status === 404) return null;
    throw error;
  });
  if (!(body instanceof ReadableStream)) return 0;
  const draft = `${file}.part`;
  try {
    const bytes = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    const sha256 = await writeFile(draft, bytes, wanted?.size);
    if (wanted !== undefined && sha256 !== wanted.sha256) throw unknownAnswer('a file has other bytes than its hash');
    await rename(draft, file);
    return 1;
  } catch (error) {
    await rm(draft, { force: true });
    throw error instanceof TypeError ? unreachable(error) : error;
  }
}

/** @returns the SHA-256 of the bytes. Throws once there are more than wanted */
async function writeFile(file: string, bytes: Readable, sizeMax = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash('sha256');
  let size = 0;
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > sizeMax) throw unknownAnswer('a file is longer than its size');
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(bytes, hashed, createWriteStream(file, { mode: 0o600 }));
  return hash.digest('hex');
}
