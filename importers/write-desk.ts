import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Compile } from 'typebox/compile';
import { format, type Manifest, pathOfFile } from '../src/operations/transfer/format.ts';
import { eventRecord, messageRecord, ticketRecord } from '../src/operations/transfer/ticket-records.ts';
import { contactRecord, memberRecord, workspaceRecord } from '../src/operations/transfer/workspace-records.ts';
import type { Desk, DeskMember, DeskProblem, Person } from './desk.ts';
import { stableId } from './stable-id.ts';
import { cut, type FileCopier, type Links, ticketLines } from './ticket-lines.ts';

export type DeskCounts = { members: number; contacts: number; tickets: number; messages: number; files: number };
export type WrittenDesk = Desk & {
  counts: DeskCounts;
  problems: DeskProblem[];
  /** Writes what is left. @throws nothing for problems of the source */
  finish(): Promise<void>;
};

type DeskOptions = {
  /** Names the source in ids, for example `zendesk:acme`: two sources never share an id. */
  source: string;
  name: string;
  /** Undefined: nothing is written, as in a dry run. */
  folder: string | undefined;
};

/** People have no order in time, so their ids do not depend on when they were first seen. */
const peopleTime = '2000-01-01T00:00:00.000Z';

const check = {
  workspace: Compile(workspaceRecord),
  member: Compile(memberRecord),
  contact: Compile(contactRecord),
  ticket: Compile(ticketRecord),
  message: Compile(messageRecord),
  event: Compile(eventRecord),
};

/** Writes what converters read as an export of Kontor, which `import` loads. */
export async function writeDesk({ source, name, folder }: DeskOptions): Promise<WrittenDesk> {
  const counts: DeskCounts = { members: 0, contacts: 0, tickets: 0, messages: 0, files: 0 };
  const problems: DeskProblem[] = [];
  const problem = (where: string, reason: string) => void problems.push({ where, reason });
  const members = new Map<string, DeskMember>();
  const contacts = new Map<string, object>();
  const numbers = new Map<number, string>();
  const files: FileCopier = await fileCopier(folder);
  const tickets = await recordFile(folder, 'tickets.jsonl');
  const contact = (person: Person, at: string): string => {
    const key = person.email.toLowerCase();
    const id = stableId(source, 'contact', key, peopleTime);
    const record = { id, email: person.email, name: cut(person.name, 1_000), createdAt: at };
    const known = contacts.get(key) as { name: string | null } | undefined;
    if (known === undefined) contacts.set(key, record);
    else known.name ??= record.name;
    return id;
  };
  const memberId = (key: string) => (members.has(key) ? stableId(source, 'member', key, peopleTime) : null);
  const links: Links = { source, contact, memberId, memberOf: (key) => members.get(key), files, problem };
  return {
    counts,
    problems,
    problem,
    member: (member) => void members.set(member.key, member),
    contact: ({ at, ...person }) => void contact(person, at ?? peopleTime),
    ticket: async (ticket) => {
      const where = `ticket ${ticket.key}`;
      const other = numbers.get(ticket.number);
      if (other !== undefined) return problem(where, `the number ${ticket.number} is that of ticket ${other}`);
      const lines = await ticketLines(ticket, links);
      const fault = lines.map(faultOf).find((each) => each !== undefined);
      if (fault !== undefined) return problem(where, fault);
      numbers.set(ticket.number, ticket.key);
      counts.tickets += 1;
      counts.messages += ticket.messages.length;
      for (const line of [...lines, { kind: 'end', lines: lines.length }]) await tickets.write(line);
    },
    finish: async () => {
      const first = await recordFile(folder, 'workspace.jsonl');
      const lastTicketNumber = [...numbers.keys()].reduce((most, number) => Math.max(most, number), 0);
      const id = stableId(source, 'workspace', '', peopleTime);
      await first.write({ id, name, lastTicketNumber, createdAt: peopleTime });
      const people = await recordFile(folder, 'members.jsonl');
      for (const { key, role, isActive, ...person } of byKey(members)) {
        const record = { id: memberId(key), ...person, role: isActive ? role : null, createdAt: peopleTime };
        if (check.member.Check(record)) await people.write(record);
        else problem(`member ${key}`, 'has no usable address');
        counts.members = people.lines;
      }
      const addresses = await recordFile(folder, 'contacts.jsonl');
      for (const record of byKey(contacts)) {
        if (check.contact.Check(record)) await addresses.write(record);
        else problem(`contact ${(record as Person).email}`, 'has no usable address');
      }
      counts.contacts = addresses.lines;
      counts.files = files.count;
      const records = await Promise.all([first, people, addresses, tickets].map((each) => each.end()));
      const manifest: Manifest = { format, records, files: files.count, mails: 0, missing: [] };
      if (folder !== undefined)
        await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    },
  };
}

function byKey<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function faultOf(line: object): string | undefined {
  const { kind } = line as { kind: 'ticket' | 'message' | 'event' };
  if (check[kind].Check(line)) return undefined;
  const [first] = check[kind].Errors(line);
  return `${kind}${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`;
}

async function fileCopier(folder: string | undefined): Promise<FileCopier> {
  const known = new Set<string>();
  return {
    get count() {
      return known.size;
    },
    take: async (path) => {
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || !found.isFile()) return undefined;
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(path)) hash.update(chunk);
      const sha256 = hash.digest('hex');
      if (folder !== undefined && !known.has(sha256)) {
        const target = join(folder, pathOfFile(sha256));
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await copyFile(path, `${target}.unfinished`);
        await rename(`${target}.unfinished`, target);
      }
      known.add(sha256);
      return { sha256, sizeBytes: found.size };
    },
  };
}

type RecordFile = { lines: number; write(line: object): Promise<void>; end(): Promise<Manifest['records'][number]> };

async function recordFile(folder: string | undefined, file: string): Promise<RecordFile> {
  let stream: WriteStream | undefined;
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(join(folder, 'manifest.json'), { force: true });
    stream = createWriteStream(join(folder, file), { mode: 0o600 });
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const made: RecordFile = {
    lines: 0,
    write: async (line) => {
      const text = Buffer.from(`${JSON.stringify(line)}\n`);
      hash.update(text);
      made.lines += 1;
      bytes += text.length;
      if (stream !== undefined && !stream.write(text)) await once(stream, 'drain');
    },
    end: async () => {
      const open = stream;
      if (open !== undefined)
        await new Promise<void>((resolve, reject) => open.once('error', reject).end(() => resolve()));
      return { file, lines: made.lines, bytes, sha256: hash.digest('hex') };
    },
  };
  return made;
}
