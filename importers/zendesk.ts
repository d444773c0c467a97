import { type DeskToken, deskClues, zendeskToken } from '@kontor/mail/desk-tokens.ts';
import { type Desk, type DeskFile, type DeskMessage, type Person, timeOf } from './desk.ts';
import { filesByKey } from './files-by-key.ts';
import { isObject, keyOf, lastOfEach, objectsOf, readObjects, textOf, textsOf } from './read-json.ts';
import { runImporter, type Source } from './run-importer.ts';
import { openShelf, type Shelf } from './shelf.ts';

/**
 * Reads the JSON export of Zendesk Support (one object a line) and pages of its API: users, and tickets with their
 * `comments`. Comments of a ticket may also come apart, as `{ "ticket_id": …, "comments": […] }`.
 */
export async function convertZendesk({ paths, files }: Source, desk: Desk): Promise<void> {
  const users = new Map<string, User>();
  using apart = openShelf<Item>();
  for await (const { value } of readObjects(paths, () => {})) {
    for (const user of itemsOf(value, 'users', isUser)) noteUser(users, user);
    const ticketKey = keyOf(value.ticket_id);
    if (ticketKey !== null) for (const comment of objectsOf(value.comments)) apart.add(ticketKey, comment);
  }
  for (const user of users.values())
    if (user.role === 'end-user') desk.contact({ ...user.person, at: user.at });
    else desk.member({ key: user.key, ...user.person, role: user.role, isActive: user.isActive });
  const names = files === undefined ? new Map<string, string>() : await filesByKey(files);
  for await (const { where, value } of readObjects(paths, desk.problem)) {
    const tickets = itemsOf(value, 'tickets', isTicket);
    if (tickets.length === 0 && !isKnown(value)) desk.problem(where, 'is neither a user nor a ticket');
    for (const ticket of tickets) await convertTicket(ticket, { where, desk, users, apart, names });
  }
}

type Item = Record<string, unknown>;
type User = { key: string; person: Person; role: 'admin' | 'agent' | 'end-user'; isActive: boolean; at: string | null };

const isTicket = (value: Item) => 'subject' in value && 'requester_id' in value;
const isUser = (value: Item) => 'role' in value && 'email' in value;
const pages = ['users', 'tickets', 'comments', 'organizations', 'groups'];
const isKnown = (value: Item) => isUser(value) || 'domain_names' in value || pages.some((page) => page in value);

/** The objects of a page of an API, or the object itself. */
function itemsOf(value: Item, page: string, isOne: (value: Item) => boolean): Item[] {
  if (Array.isArray(value[page])) return objectsOf(value[page]);
  return isOne(value) ? [value] : [];
}

function noteUser(users: Map<string, User>, user: Item): void {
  const key = keyOf(user.id);
  if (key === null) return;
  const role = user.role === 'admin' || user.role === 'agent' ? user.role : 'end-user';
  users.set(key, {
    key,
    // People of other channels than mail may have no address.
    person: { email: textOf(user.email) ?? `user-${key}@zendesk.invalid`, name: textOf(user.name) },
    role,
    isActive: user.active !== false && user.suspended !== true,
    at: timeOf(user.created_at) ?? null,
  });
}

type Around = {
  where: string;
  desk: Desk;
  users: ReadonlyMap<string, User>;
  apart: Shelf<Item>;
  names: ReadonlyMap<string, string>;
};

const statuses = {
  new: 'open',
  open: 'open',
  pending: 'pending',
  hold: 'pending',
  solved: 'closed',
  closed: 'closed',
  deleted: 'closed',
} as const;

async function convertTicket(ticket: Item, around: Around): Promise<void> {
  const { where, desk, users, apart } = around;
  const key = keyOf(ticket.id);
  const at = timeOf(ticket.created_at);
  if (key === null || at === undefined) return desk.problem(where, 'the ticket has no id or no created_at');
  const status = textOf(ticket.status) ?? '';
  if (!Object.hasOwn(statuses, status)) return desk.problem(`ticket ${key}`, `the status ${status} is unknown`);
  const comments = Array.isArray(ticket.comments) ? objectsOf(ticket.comments) : lastOfEach(apart.list(key));
  const person = (id: unknown) => users.get(keyOf(id) ?? '')?.person ?? null;
  const requester = person(ticket.requester_id);
  if (requester === null && keyOf(ticket.requester_id) !== null)
    desk.problem(`ticket ${key}`, `nobody knows the requester ${keyOf(ticket.requester_id)}`);
  const others = [ticket.collaborator_ids, ticket.email_cc_ids].flatMap((ids) => (Array.isArray(ids) ? ids : []));
  const via = isObject(ticket.via) ? textOf(ticket.via.channel) : null;
  const assignee = keyOf(ticket.assignee_id);
  const messages = comments.flatMap((comment) => convertComment(comment, key, around));
  if (messages.length === 0)
    messages.push(
      convertDescription(ticket, {
        key,
        at,
        requester: requester ?? { email: `ticket-${key}@zendesk.invalid`, name: null },
      }),
    );
  await desk.ticket({
    key,
    number: Number(key),
    subject: textOf(ticket.subject) ?? textOf(ticket.raw_subject) ?? '',
    status: statuses[status as keyof typeof statuses],
    priority: textOf(ticket.priority),
    tags: [...textsOf(ticket.tags), ...(status === 'hold' ? ['on-hold'] : [])],
    assignee,
    requester,
    participants: others.flatMap((id) => person(id) ?? []),
    isMail: via === 'email',
    isSpam: false,
    isDeleted: status === 'deleted',
    at,
    updatedAt: timeOf(ticket.updated_at) ?? at,
    messages,
    tokens: tokensOf(ticket, messages),
  });
}

/** The id that each mail repeats. Where the ticket does not tell it, the addresses of answers to mails do. */
function tokensOf(ticket: Item, messages: readonly DeskMessage[]): DeskToken[] {
  const answered = messages.filter(({ kind }) => kind === 'customer').flatMap(({ to, cc }) => [...to, ...cc]);
  const named = deskClues({ ids: [], recipients: answered, subject: '', text: '' }).map(({ token }) => token);
  const tokens = new Set([zendeskToken(textOf(ticket.encoded_id) ?? ''), ...named]);
  return [...tokens].flatMap((token) => (token === undefined ? [] : [{ source: 'zendesk', token }]));
}

function convertDescription(
  ticket: Item,
  { key, at, requester }: { key: string; at: string; requester: Person },
): DeskMessage {
  const nobody = { html: null, to: [], cc: [], bcc: [], mailIds: [], files: [] };
  const text = textOf(ticket.description) ?? '';
  return { ...nobody, key: `description-${key}`, kind: 'customer', author: { contact: requester }, text, at };
}

function convertComment(comment: Item, ticketKey: string, { desk, users, names }: Around): DeskMessage[] {
  const where = `ticket ${ticketKey}`;
  const key = keyOf(comment.id);
  const at = timeOf(comment.created_at);
  if (key === null || at === undefined) {
    desk.problem(where, 'a comment has no id or no created_at');
    return [];
  }
  const authorKey = keyOf(comment.author_id) ?? '';
  const author = users.get(authorKey);
  if (author === undefined) desk.problem(where, `nobody knows the author ${authorKey} of the comment ${key}`);
  const isCustomer = author?.role === 'end-user';
  const isNote = comment.public === false;
  const source = isObject(comment.via) && isObject(comment.via.source) ? comment.via.source : {};
  const system = isObject(comment.metadata) && isObject(comment.metadata.system) ? comment.metadata.system : {};
  return [
    {
      key,
      kind: isNote ? 'note' : isCustomer ? 'customer' : 'answer',
      author:
        author === undefined
          ? { system: `Zendesk user ${authorKey}` }
          : isCustomer
            ? { contact: author.person }
            : { member: author.key },
      html: textOf(comment.html_body),
      text: textOf(comment.plain_body) ?? textOf(comment.body),
      to: addressesOf(source.to),
      cc: addressesOf(source.email_ccs).flatMap((each) => users.get(each)?.person.email ?? each),
      bcc: [],
      at,
      mailIds: [textOf(system.message_id)].filter((each) => each !== null),
      files: objectsOf(comment.attachments).flatMap((file) => fileOf(file, names)),
    },
  ];
}

/** Zendesk names an address in an object, or several in a list. */
function addressesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => (isObject(each) ? addressesOf(each) : (keyOf(each) ?? [])));
  const address = isObject(value) ? textOf(value.address) : null;
  return address === null ? [] : [address];
}

function fileOf(file: Item, names: ReadonlyMap<string, string>): DeskFile[] {
  const key = keyOf(file.id);
  if (key === null || file.deleted === true) return [];
  return [
    {
      key,
      name: textOf(file.file_name) ?? 'file',
      type: textOf(file.content_type) ?? '',
      isInline: file.inline === true,
      path: names.get(key),
    },
  ];
}

if (import.meta.main) await runImporter('zendesk', convertZendesk);
