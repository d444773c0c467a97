import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { readSmallFile, readSmallJson } from '../../ground/lib/read-small-file.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { fileOf, type Manifest, manifestSchema, type RecordFile, recordFiles } from './format.ts';
import type { ProblemList } from './problems.ts';
import { readLines } from './read-lines.ts';
import type { EventRecord, MessageRecord } from './ticket-records.ts';
import { endRecord, eventRecord, messageRecord, type TicketRecord, ticketRecord } from './ticket-records.ts';

/** Whether the folder is an export: it has a manifest of this format, in any version. */
export async function isExport(folder: string): Promise<boolean> {
  const text = await readSmallFile(join(folder, 'manifest.json'));
  return /"format"\s*:\s*"kontor-\d/.test(text);
}

/** Throws a `StartError` for a folder that this release cannot read. */
export async function openExport(folder: string): Promise<Manifest> {
  const manifest = await readSmallJson(join(folder, 'manifest.json'), manifestSchema);
  if (manifest === undefined)
    throw new StartError(`${folder} has no manifest.json, or a damaged one, or one of a later release of Kontor.`);
  for (const file of recordFiles.map(fileOf)) {
    const found = await lstat(join(folder, file)).catch(() => undefined);
    // A link to a device has no end.
    if (found?.isFile() === false) throw new StartError(`${file} in ${folder} is no plain file.`);
  }
  return manifest;
}

/** Notes the files of records that are not as the manifest says. Their lines are read all the same. */
export async function checkFiles(folder: string, { records }: Manifest, problems: ProblemList): Promise<void> {
  for (const { file, bytes, sha256 } of records) {
    const hash = createHash('sha256');
    let read = 0;
    try {
      for await (const chunk of createReadStream(join(folder, file))) {
        hash.update(chunk);
        read += chunk.length;
      }
    } catch (error) {
      problems.add({ file, line: 0, reason: `cannot be read: ${(error as Error).message}` });
      continue;
    }
    if (read !== bytes) problems.add({ file, line: 0, reason: `has ${read} bytes instead of ${bytes}` });
    else if (hash.digest('hex') !== sha256)
      problems.add({ file, line: 0, reason: 'has other bytes than it was written with' });
  }
}

export type ReadRecord<Content> = { line: number; content: Content; hash: Buffer };

/** The records of a file that are as the schema says. The others become problems. */
export async function* readRecords<Schema extends TSchema>(
  folder: string,
  name: RecordFile,
  schema: Schema,
  problems: ProblemList,
): AsyncGenerator<ReadRecord<Static<Schema>>> {
  const file = fileOf(name);
  const validator = Compile(schema);
  for await (const line of readLines(join(folder, file))) {
    const content = contentOf(line, validator);
    if ('fault' in content) problems.add({ file, line: line.number, reason: content.fault });
    else yield { line: line.number, content: content.value as Static<Schema>, hash: content.hash };
  }
}

type Checked = { value: unknown; hash: Buffer } | { fault: string };

function contentOf(
  line: { text: string } | { fault: string },
  validator: Pick<Validator, 'Check' | 'Errors'>,
): Checked {
  if ('fault' in line) return line;
  const value = parsed(line.text);
  if (value === undefined) return { fault: 'is not JSON' };
  const fault = faultOf(value, validator);
  if (fault !== undefined) return { fault };
  return { value, hash: createHash('sha256').update(line.text).digest() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf(value: unknown, validator: Pick<Validator, 'Check' | 'Errors'>): string | undefined {
  if (validator.Check(value)) return undefined;
  const [first] = validator.Errors(value);
  return first === undefined ? 'is not valid' : `${first.instancePath || 'the record'} ${first.message}`;
}

/** A ticket with what belongs to it, and the line of each record. */
export type ReadTicket = {
  line: number;
  hash: Buffer;
  ticket: TicketRecord;
  messages: { line: number; content: MessageRecord }[];
  events: { line: number; content: EventRecord }[];
};

const parts = {
  ticket: Compile(ticketRecord),
  message: Compile(messageRecord),
  event: Compile(eventRecord),
  end: Compile(endRecord),
};

/** The tickets that are whole. The others become problems, and nothing of them is read. */
export async function* readTickets(folder: string, problems: ProblemList): AsyncGenerator<ReadTicket> {
  const file = fileOf('tickets');
  let current: Gathering | undefined;
  const refuse = (line: number, reason: string) => {
    problems.add({ file, line, reason });
    if (current !== undefined) current.isRefused = true;
  };
  const leaveOpen = () => {
    if (current !== undefined && !current.isRefused)
      problems.add({ file, line: current.line, reason: 'the ticket has no end' });
    current = undefined;
  };
  for await (const line of readLines(join(folder, file))) {
    const value = 'text' in line ? parsed(line.text) : undefined;
    const kind = (value as { kind?: unknown } | null | undefined)?.kind;
    if (kind === 'ticket') leaveOpen();
    if (value === undefined || !isKind(kind)) {
      refuse(line.number, 'fault' in line ? line.fault : value === undefined ? 'is not JSON' : 'has no known kind');
      continue;
    }
    if (kind === 'ticket') current = newGathering(line.number);
    if (current === undefined) {
      refuse(line.number, `${kind} without a ticket before it`);
      continue;
    }
    const fault = faultOf(value, parts[kind]);
    if (fault !== undefined) refuse(line.number, fault);
    if (kind !== 'end') {
      if (!current.isRefused) gather(current, line.number, value, 'text' in line ? line.text : '');
      continue;
    }
    const { lines } = value as { lines: number };
    if (!current.isRefused && lines !== current.lines)
      refuse(line.number, `the ticket has ${current.lines} lines instead of ${lines}`);
    if (!current.isRefused) yield finished(current);
    current = undefined;
  }
  leaveOpen();
}

type Gathering = Omit<ReadTicket, 'hash' | 'ticket'> & {
  ticket: TicketRecord | undefined;
  hashing: Hash;
  lines: number;
  isRefused: boolean;
};

const newGathering = (line: number): Gathering => ({
  line,
  ticket: undefined,
  messages: [],
  events: [],
  hashing: createHash('sha256'),
  lines: 0,
  isRefused: false,
});

function isKind(kind: unknown): kind is keyof typeof parts {
  return typeof kind === 'string' && Object.hasOwn(parts, kind);
}

function gather(into: Gathering, line: number, value: unknown, text: string): void {
  into.lines += 1;
  into.hashing.update(text).update('\n');
  const record = value as TicketRecord | MessageRecord | EventRecord;
  if (record.kind === 'ticket') into.ticket = record;
  else if (record.kind === 'message') into.messages.push({ line, content: record });
  else into.events.push({ line, content: record });
}

function finished({ line, ticket, messages, events, hashing }: Gathering): ReadTicket {
  if (ticket === undefined) throw new Error('a ticket begins with its record');
  return { line, ticket, messages, events, hash: hashing.digest() };
}
