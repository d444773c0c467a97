import { subjectToken } from '@kontor/mail/desk-tokens.ts';
import { type Desk, type DeskFile, type DeskMessage, type Person, timeOf } from './desk.ts';
import { filesByKey } from './files-by-key.ts';
import { isObject, keyOf, lastOfEach, objectsOf, readObjects, textOf, textsOf } from './read-json.ts';
import { runImporter, type Source } from './run-importer.ts';
import { openShelf, type Shelf } from './shelf.ts';

/**
 * Reads saved answers of Help Scout's Mailbox API 2.0: pages of users, and pages of conversations with `embed=threads`.
 * Threads of a conversation may also come apart, as a page of threads whose link names the conversation.
 */
export async function convertHelpScout({ paths, files }: Source, desk: Desk): Promise<void> {
  const members = new Set<string>();
  using apart = openShelf<Item>();
  for await (const { value } of readObjects(paths, () => {})) {
    for (const user of embedded(value, 'users')) noteUser(user, members, desk);
    const conversation = conversationOfThreads(value);
    if (conversation !== undefined) for (const thread of embedded(value, 'threads')) apart.add(conversation, thread);
  }
  const names = files === undefined ? new Map<string, string>() : await filesByKey(files);
  for await (const { where, value } of readObjects(paths, desk.problem)) {
    const found = isConversation(value) ? [value] : embedded(value, 'conversations');
    if (found.length === 0 && !pages.some((page) => isPage(value, page)))
      desk.problem(where, 'is no page of users, conversations or threads');
    for (const conversation of found) await convertConversation(conversation, { where, desk, members, apart, names });
  }
}

type Item = Record<string, unknown>;

const pages = ['users', 'conversations', 'threads', 'customers', 'mailboxes', 'tags'];
const isPage = (value: Item, page: string) => isObject(value._embedded) && Array.isArray(value._embedded[page]);
const isConversation = (value: Item) => 'number' in value && 'mailboxId' in value;

function embedded(value: Item, name: string): Item[] {
  return isObject(value._embedded) ? objectsOf(value._embedded[name]) : [];
}

/** The id in the address of a page of threads. */
function conversationOfThreads(value: Item): string | undefined {
  if (!isPage(value, 'threads') || isConversation(value) || !isObject(value._links)) return undefined;
  const { self } = value._links;
  return /\/conversations\/(\d+)\/threads/.exec((isObject(self) && textOf(self.href)) || '')?.[1];
}

function noteUser(user: Item, members: Set<string>, desk: Desk): void {
  const key = keyOf(user.id);
  const email = textOf(user.email);
  if (key === null || email === null) {
    desk.problem(`user ${key}`, 'has no id or no address');
    return;
  }
  members.add(key);
  const name = [textOf(user.firstName), textOf(user.lastName)].filter(Boolean).join(' ');
  const isAdmin = user.role === 'owner' || user.role === 'admin';
  const role = isAdmin ? 'admin' : 'agent';
  desk.member({ key, email, name: name === '' ? null : name, role, isActive: user.type !== 'team' });
}

type Around = {
  where: string;
  desk: Desk;
  members: ReadonlySet<string>;
  apart: Shelf<Item>;
  names: ReadonlyMap<string, string>;
};

const statuses = { active: 'open', open: 'open', pending: 'pending', closed: 'closed', spam: 'open' } as const;

async function convertConversation(conversation: Item, around: Around): Promise<void> {
  const { where, desk, apart, names, members } = around;
  const key = keyOf(conversation.id);
  const at = timeOf(conversation.createdAt);
  if (key === null || at === undefined) return desk.problem(where, 'the conversation has no id or no createdAt');
  const place = `conversation ${key}`;
  const { state, status } = conversation;
  if (state === 'draft') return desk.problem(place, 'is a draft that was never sent');
  if (typeof status !== 'string' || !Object.hasOwn(statuses, status))
    return desk.problem(place, `the status ${String(status)} is unknown`);
  const requester = personOf(conversation.primaryCustomer);
  if (requester === null) desk.problem(place, 'has no customer with an address');
  const threads = lastOfEach([...embedded(conversation, 'threads'), ...apart.list(key)]);
  const messages = threads.flatMap((thread) => convertThread(thread, { where: place, desk, members, names }));
  if (messages.length === 0) return desk.problem(place, 'has no published thread: save it with embed=threads');
  const token = subjectToken(textOf(conversation.subject) ?? '');
  const assignee = isObject(conversation.assignee) ? keyOf(conversation.assignee.id) : null;
  await desk.ticket({
    key,
    number: Number(conversation.number),
    subject: textOf(conversation.subject) ?? '',
    status: statuses[status as keyof typeof statuses],
    priority: null,
    tags: objectsOf(conversation.tags).flatMap((tag) => textOf(tag.tag) ?? []),
    // Anyone and teams are no members.
    assignee: assignee !== null && members.has(assignee) ? assignee : null,
    requester,
    participants: [],
    isMail: conversation.type === 'email',
    isSpam: status === 'spam',
    isDeleted: state === 'deleted',
    at,
    updatedAt: timeOf(conversation.userUpdatedAt) ?? timeOf(conversation.closedAt) ?? at,
    messages,
    // Its mails repeat nothing else that the API tells.
    tokens: token === undefined ? [] : [{ source: 'help-scout', token }],
  });
}

function personOf(value: unknown): Person | null {
  const email = isObject(value) ? textOf(value.email) : null;
  if (!isObject(value) || email === null) return null;
  const name = [textOf(value.first), textOf(value.last)].filter(Boolean).join(' ');
  return { email, name: name === '' ? null : name };
}

const kinds = { customer: 'customer', message: 'answer', note: 'note', phone: 'note', chat: 'customer' } as const;
/** Changes of a state, and what a forward leaves behind, have no text of their own. */
const silent = new Set(['lineitem', 'forwardparent', 'forwardchild', 'beaconchat']);

function convertThread(thread: Item, { where, desk, members, names }: Omit<Around, 'apart'>): DeskMessage[] {
  const type = textOf(thread.type) ?? '';
  if (silent.has(type) || thread.state === 'draft') return [];
  const key = keyOf(thread.id);
  const at = timeOf(thread.createdAt);
  if (key === null || at === undefined || !Object.hasOwn(kinds, type)) {
    desk.problem(where, `the thread ${key} has no time, or the unknown type ${type}`);
    return [];
  }
  const creator = isObject(thread.createdBy) ? thread.createdBy : {};
  const memberKey = keyOf(creator.id) ?? '';
  const isMember = creator.type !== 'customer' && members.has(memberKey);
  const person = personOf(creator);
  const kind = kinds[type as keyof typeof kinds];
  return [
    {
      key,
      kind: kind === 'customer' && isMember ? 'answer' : kind,
      author: isMember
        ? { member: memberKey }
        : person !== null && kind === 'customer'
          ? { contact: person }
          : { system: person?.name ?? person?.email ?? 'Help Scout' },
      html: textOf(thread.body),
      text: null,
      to: textsOf(thread.to),
      cc: textsOf(thread.cc),
      bcc: textsOf(thread.bcc),
      at,
      mailIds: [],
      files: embedded(thread, 'attachments').flatMap((file) => fileOf(file, names)),
    },
  ];
}

function fileOf(file: Item, names: ReadonlyMap<string, string>): DeskFile[] {
  const key = keyOf(file.id);
  if (key === null) return [];
  const name = textOf(file.filename) ?? 'file';
  return [{ key, name, type: textOf(file.mimeType) ?? '', isInline: false, path: names.get(key) }];
}

if (import.meta.main) await runImporter('help-scout', convertHelpScout);
