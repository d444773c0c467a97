import { join } from 'node:path';
import { boundToken, type DeskToken } from '@kontor/mail/desk-tokens.ts';
import { type Desk, type DeskFile, type DeskMessage, type Person, timeOf } from './desk.ts';
import { type DumpRow, readSqlDump } from './read-sql-dump.ts';
import { runImporter, type Source } from './run-importer.ts';
import { openShelf, type Shelf } from './shelf.ts';

/** Reads the database of FreeScout from a dump, and the files of its `storage/app/attachment` folder. */
export async function convertFreescout(source: Source, desk: Desk): Promise<void> {
  // A dump has its threads in the order in which they were written, not by conversation.
  using threads = openShelf<DumpRow>();
  using attachments = openShelf<DumpRow>();
  using sentIds = openShelf<{ mailId: string }>();
  const tables = await readTables(source, desk, { threads, attachments, sentIds });
  const time = (value: string | null | undefined) => timeAt(value, source.utcOffset);
  for (const user of tables.users.values()) {
    const person = personOf(user, textOf(user.email));
    if (person === null) desk.problem(`user ${user.id}`, 'has no address');
    else
      desk.member({
        key: user.id ?? '',
        ...person,
        role: user.role === adminRole ? 'admin' : 'agent',
        isActive: (user.status ?? activeUser) === activeUser,
      });
  }
  const people = new Map<string, Person>();
  for (const [id, customer] of tables.customers) {
    const address = tables.addresses.get(id) ?? `customer-${id}@freescout.invalid`;
    const person = personOf(customer, address);
    if (person === null) continue;
    people.set(id, person);
    desk.contact({ ...person, at: time(customer.created_at) ?? null });
  }
  const around: Around = { ...tables, desk, people, time, files: source.files };
  if (tables.mailboxes.size === 0)
    desk.problem('mailboxes', 'are not in the dump, so answers to old mail may not join');
  for (const conversation of tables.conversations) await convertConversation(conversation, around);
}

type Tables = {
  users: Map<string, DumpRow>;
  customers: Map<string, DumpRow>;
  /** The first address of each customer. */
  addresses: Map<string, string>;
  conversations: DumpRow[];
  /** The addresses of mailboxes. */
  mailboxes: Map<string, string>;
} & Shelves;

type Shelves = {
  /** By conversation. */
  threads: Shelf<DumpRow>;
  /** By thread. */
  attachments: Shelf<DumpRow>;
  /** Message-IDs of sent mails, by thread. */
  sentIds: Shelf<{ mailId: string }>;
};

type Around = Tables & {
  desk: Desk;
  people: ReadonlyMap<string, Person>;
  time(value: string | null | undefined): string | undefined;
  files: string | undefined;
};

const tableNames = new Set([
  'users',
  'customers',
  'emails',
  'conversations',
  'mailboxes',
  'threads',
  'attachments',
  'send_logs',
]);

// The numbers that FreeScout stores.
const adminRole = '2';
const activeUser = '1';
const statuses: Record<string, 'open' | 'pending' | 'closed'> = { 1: 'open', 2: 'pending', 3: 'closed', 4: 'open' };
const spamStatus = '4';
const deletedState = '3';
const draftState = '1';
const publishedState = '2';
const mailType = '1';
const kinds: Record<string, DeskMessage['kind']> = { 1: 'customer', 2: 'answer', 3: 'note', 8: 'customer' };
const lineItem = '4';

async function readTables({ paths }: Source, desk: Desk, shelves: Shelves): Promise<Tables> {
  const tables: Tables = {
    users: new Map(),
    customers: new Map(),
    addresses: new Map(),
    conversations: [],
    mailboxes: new Map(),
    ...shelves,
  };
  for (const path of paths)
    for await (const { table, row } of readSqlDump(path, tableNames, desk.problem)) {
      const { id = null } = row;
      if (id === null) desk.problem(table, 'a row has no id');
      else if (table === 'users') tables.users.set(id, row);
      else if (table === 'customers') tables.customers.set(id, row);
      else if (table === 'conversations') tables.conversations.push(row);
      else if (table === 'mailboxes') tables.mailboxes.set(id, row.email ?? '');
      else if (table === 'threads') shelves.threads.add(row.conversation_id ?? '', row);
      else if (table === 'attachments') shelves.attachments.add(row.thread_id ?? '', row);
      else if (table === 'send_logs') shelves.sentIds.add(row.thread_id ?? '', { mailId: row.message_id ?? '' });
      else if (row.customer_id != null && row.email != null && !tables.addresses.has(row.customer_id))
        tables.addresses.set(row.customer_id, row.email);
    }
  return tables;
}

function textOf(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

function personOf(row: DumpRow, email: string | null): Person | null {
  const name = [row.first_name, row.last_name].filter(Boolean).join(' ');
  return email === null ? null : { email, name: textOf(name) };
}

/** FreeScout stores times without their zone. */
function timeAt(value: string | null | undefined, utcOffset: string): string | undefined {
  return value == null ? undefined : timeOf(`${value.replace(' ', 'T')}${utcOffset}`);
}

async function convertConversation(row: DumpRow, around: Around): Promise<void> {
  const { desk, time, people, threads, mailboxes } = around;
  const key = row.id ?? '';
  const where = `conversation ${key}`;
  const at = time(row.created_at);
  const status = statuses[row.status ?? ''];
  if (row.state === draftState) return desk.problem(where, 'is a draft that was never sent');
  if (at === undefined) return desk.problem(where, 'has no time');
  if (status === undefined) return desk.problem(where, `the status ${row.status} is unknown`);
  const requester = people.get(row.customer_id ?? '') ?? null;
  if (requester === null) desk.problem(where, `nobody knows the customer ${row.customer_id}`);
  const messages = threads.list(key).flatMap((thread) => convertThread(thread, where, around));
  if (messages.length === 0) return desk.problem(where, 'has no published thread');
  await desk.ticket({
    key,
    number: Number(row.number),
    subject: row.subject ?? '',
    status,
    priority: null,
    tags: [],
    assignee: textOf(row.user_id),
    requester,
    participants: [],
    isMail: row.type === mailType,
    isSpam: row.status === spamStatus,
    isDeleted: row.state === deletedState,
    at,
    updatedAt: time(row.updated_at) ?? at,
    messages,
    tokens: tokensOf(mailboxes.get(row.mailbox_id ?? ''), messages),
  });
}

/**
 * The Message-IDs of mails that FreeScout sent are in no table but `send_logs`, which forgets them after half a year.
 * They name the thread and the domain of the mailbox.
 */
function tokensOf(mailbox: string | undefined, messages: readonly DeskMessage[]): DeskToken[] {
  const domain = mailbox?.split('@')[1];
  if (domain === undefined) return [];
  const mailed = messages.filter(({ kind }) => kind !== 'note');
  return mailed.map(({ key }) => ({ source: 'freescout', token: boundToken(domain, key) }));
}

function convertThread(row: DumpRow, where: string, around: Around): DeskMessage[] {
  const { desk, time, attachments, sentIds, files } = around;
  const key = row.id ?? '';
  const kind = kinds[row.type ?? ''];
  if (row.type === lineItem || row.state !== publishedState) return [];
  const at = time(row.created_at);
  if (kind === undefined || at === undefined) {
    desk.problem(where, `the thread ${key} has the unknown type ${row.type}, or no time`);
    return [];
  }
  return [
    {
      key,
      kind,
      author: authorOf(row, around),
      html: row.body ?? '',
      text: null,
      to: listOf(row.to),
      cc: listOf(row.cc),
      bcc: listOf(row.bcc),
      at,
      mailIds: [row.message_id ?? '', ...sentIds.list(key).map(({ mailId }) => mailId)].filter(Boolean),
      files: attachments.list(key).map((file) => fileOf(file, files)),
    },
  ];
}

function authorOf(row: DumpRow, { users, people }: Around): DeskMessage['author'] {
  const userId = row.created_by_user_id ?? '';
  if (users.has(userId)) return { member: userId };
  const person = people.get(row.created_by_customer_id ?? row.customer_id ?? '');
  return person === undefined || row.type !== '1' ? { system: `FreeScout user ${userId}` } : { contact: person };
}

/** Addresses are a list in JSON. */
function listOf(text: string | null | undefined): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

function fileOf(row: DumpRow, folder: string | undefined): DeskFile {
  const name = row.file_name ?? 'file';
  const place = (row.file_dir ?? '').split(/[/\\]/).filter((part) => /^\w+$/.test(part));
  // A name of a path would lead elsewhere.
  const isPlain = !/[/\\]|^\.\.?$/.test(name);
  return {
    key: row.id ?? '',
    name,
    type: row.mime_type ?? '',
    isInline: row.embedded === '1',
    path: folder === undefined || !isPlain ? undefined : join(folder, ...place, name),
  };
}

if (import.meta.main) await runImporter('freescout', convertFreescout);
