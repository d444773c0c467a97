/** Reading a mailbox: folders, lists, single messages, their bytes and attachments. */
import { readContent } from '../read-mail.ts';
import { type Answer, type Call, GraphError } from './http.ts';
import { findItem, folderOf } from './mailbox.ts';
import { selectOf, showMessage, wholeOf } from './message.ts';
import { rebuilt } from './mime.ts';
import { type AttachedFile, type FolderName, folderNames, type Item, type Mailbox } from './world.ts';

export function showProfile({ mailbox, query }: Call): Answer {
  const { userId, address, displayName, aliases } = mailbox;
  const usual = { id: userId, displayName, mail: address, userPrincipalName: address };
  // Graph shows this property only on request.
  const isAsked = query.get('$select')?.split(',').includes('proxyAddresses') === true;
  const proxyAddresses = [`SMTP:${address}`, ...aliases.map((alias) => `smtp:${alias}`), `SIP:${address}`];
  return { status: 200, body: isAsked ? { id: userId, proxyAddresses } : usual };
}

export function listFolders({ mailbox }: Call): Answer {
  return { status: 200, body: { value: folderNames.map((name) => folderShown(mailbox, name)) } };
}

export function showFolder(call: Call): Answer {
  return { status: 200, body: folderShown(call.mailbox, folderNamed(call)) };
}

function folderShown(mailbox: Mailbox, name: FolderName): object {
  const items = itemsIn(mailbox, name);
  const unreadItemCount = items.filter(({ isRead }) => !isRead).length;
  return { id: mailbox.folders[name].id, displayName: name, totalItemCount: items.length, unreadItemCount };
}

/** @throws GraphError unless the path names a folder of the mailbox */
export function folderNamed({ mailbox, params }: Call): FolderName {
  const folder = folderOf(mailbox, params[0] ?? '');
  if (folder === undefined)
    throw new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
  return folder;
}

/** @throws GraphError unless the item exists */
export function itemNamed({ mailbox, params }: Call): Item {
  const item = findItem(mailbox, params[0] ?? '');
  if (item === undefined)
    throw new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
  return item;
}

function itemsIn(mailbox: Mailbox, folder: FolderName | undefined): Item[] {
  const all = [...new Set(mailbox.items.values())];
  return all.filter((item) => item.folder !== null && (folder === undefined || item.folder === folder));
}

const usualTop = 10;
const topMax = 1_000;

export async function listMessages(call: Call): Promise<Answer> {
  const { mailbox, query, world } = call;
  const folder = call.params[0] === undefined ? undefined : folderNamed(call);
  const clauses = clausesOf(query.get('$filter'));
  const order = orderOf(query.get('$orderby'), clauses);
  const items = candidates(mailbox, folder, clauses).filter((item) => clauses.every((clause) => clause.holds(item)));
  items.sort((one, other) => order * (one.receivedAt.getTime() - other.receivedAt.getTime()));
  const top = Math.min(topMax, Number(query.get('$top') ?? usualTop) || usualTop);
  const skip = Number(query.get('$skip') ?? 0) || 0;
  const select = selectOf(query);
  const value = await Promise.all(items.slice(skip, skip + top).map((item) => showMessage(call, item, select)));
  const next = new URLSearchParams(query);
  next.set('$skip', String(skip + top));
  const inside = folder === undefined ? '' : `/mailFolders('${folder}')`;
  const nextLink = `${world.url}/v1.0/users/${mailbox.userId}${inside}/messages?${next}`;
  return { status: 200, body: { value, ...(items.length > skip + top && { '@odata.nextLink': nextLink }) } };
}

type Clause = { property: string; value: string; holds(item: Item): boolean };

const filterable: Record<string, (item: Item) => string> = {
  receivedDateTime: ({ receivedAt }) => receivedAt.toISOString(),
  sentDateTime: ({ receivedAt }) => receivedAt.toISOString(),
  internetMessageId: ({ internetMessageId }) => internetMessageId,
  conversationId: ({ conversationId }) => conversationId,
  isDraft: ({ isDraft }) => String(isDraft),
  isRead: ({ isRead }) => String(isRead),
};

/** Reads clauses joined by `and`: `receivedDateTime ge 2026-… and internetMessageId eq '<…>'`. */
export function clausesOf(filter: string | null): Clause[] {
  if (filter === null || filter.trim() === '') return [];
  const ofProperty =
    /^singleValueExtendedProperties\/any\(ep: ep\/id eq '([^']+)' and ep\/value eq '((?:[^']|'')*)'\)$/i;
  const [, id = '', wanted = ''] = ofProperty.exec(filter.trim()) ?? [];
  if (id !== '') {
    const value = wanted.replaceAll("''", "'");
    return [{ property: 'singleValueExtendedProperties', value, holds: (item) => item.properties.get(id) === value }];
  }
  return filter.split(/\s+and\s+/).map((written) => {
    const [, property = '', comparison = '', operand = ''] =
      /^\s*(\w+)\s+(eq|ge|gt|le|lt)\s+(.+?)\s*$/.exec(written) ?? [];
    const read = filterable[property];
    if (read === undefined)
      throw new GraphError(400, 'ErrorInvalidUrlQueryFilter', `Invalid filter clause: ${written}`);
    const isTime = property.endsWith('DateTime');
    const time = isTime ? Date.parse(operand) : 0;
    if (Number.isNaN(time)) throw new GraphError(400, 'BadRequest', `Invalid filter clause: ${written}`);
    const value = isTime ? new Date(time).toISOString() : operand.replace(/^'|'$/g, '').replaceAll("''", "'");
    const compare: Record<string, (one: string) => boolean> = {
      eq: (one) => one === value,
      ge: (one) => one >= value,
      gt: (one) => one > value,
      le: (one) => one <= value,
      lt: (one) => one < value,
    };
    return { property, value, holds: (item) => compare[comparison]?.(read(item)) ?? false };
  });
}

/** @throws GraphError unless the filter begins with the sorted property; Exchange has no index otherwise */
function orderOf(orderBy: string | null, clauses: readonly Clause[]): 1 | -1 {
  if (orderBy === null) return -1;
  const [property, direction = 'asc'] = orderBy.trim().split(/\s+/);
  if (property !== 'receivedDateTime' && property !== 'sentDateTime')
    throw new GraphError(400, 'BadRequest', `Sorting by ${property} is not supported.`);
  if (clauses.length > 0 && clauses[0]?.property !== property)
    throw new GraphError(400, 'InefficientFilter', 'The restriction or sort order is too complex for this operation.');
  return direction.toLowerCase() === 'desc' ? -1 : 1;
}

function candidates(mailbox: Mailbox, folder: FolderName | undefined, clauses: readonly Clause[]): Item[] {
  const id = clauses.find(({ property }) => property === 'internetMessageId')?.value;
  if (id === undefined) return itemsIn(mailbox, folder);
  const alike = [...(mailbox.byMessageId.get(id) ?? [])];
  return alike.filter((item) => item.folder !== null && (folder === undefined || item.folder === folder));
}

export async function getMessage(call: Call): Promise<Answer> {
  return { status: 200, body: await showMessage(call, itemNamed(call), selectOf(call.query)) };
}

export function getMime(call: Call): Answer {
  const item = itemNamed(call);
  if (item.isUnbuildable)
    throw new GraphError(500, 'ErrorMimeContentConversionFailed', 'The MIME content could not be converted.');
  const whole = wholeOf(item);
  const body = call.world.behaviour.rebuildsMime ? rebuilt(whole, item.internetMessageId) : whole;
  return { status: 200, body, headers: { 'content-type': 'text/plain' } };
}

async function attachmentsOf(item: Item): Promise<AttachedFile[]> {
  const { attachments } = await readContent(item.raw);
  const within = attachments.map(({ filename, mimeType, contentId = null, content }, index) => ({
    id: `${item.immutableId}A${index}`,
    name: filename ?? `ATT0000${index}`,
    contentType: mimeType,
    contentId: contentId?.replace(/^<|>$/g, '') ?? null,
    isInline: contentId !== null,
    // A string only if its encoding was asked for.
    content: Buffer.from(content as ArrayBuffer),
  }));
  return [...within, ...item.files];
}

export function attachmentShown({ content, ...rest }: AttachedFile, { withBytes = true } = {}): object {
  const isMail = rest.contentType === 'message/rfc822';
  return {
    '@odata.type': isMail ? '#microsoft.graph.itemAttachment' : '#microsoft.graph.fileAttachment',
    ...rest,
    size: content.length,
    ...(withBytes && !isMail && { contentBytes: content.toString('base64') }),
  };
}

export async function listAttachments(call: Call): Promise<Answer> {
  const attachments = await attachmentsOf(itemNamed(call));
  const select = selectOf(call.query);
  const withBytes = select.length === 0 || select.includes('contentBytes');
  return { status: 200, body: { value: attachments.map((each) => attachmentShown(each, { withBytes })) } };
}

export async function getAttachment(call: Call): Promise<Answer> {
  return { status: 200, body: attachmentShown(await attachmentNamed(call)) };
}

export async function getAttachmentBytes(call: Call): Promise<Answer> {
  const { content, contentType } = await attachmentNamed(call);
  return { status: 200, body: content, headers: { 'content-type': contentType } };
}

async function attachmentNamed(call: Call): Promise<AttachedFile> {
  const all = await attachmentsOf(itemNamed(call));
  const attachment = all.find(({ id }) => id === call.params[1]);
  if (attachment === undefined)
    throw new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
  return attachment;
}
