/** Drafts of the Graph emulator: created from JSON or MIME or as replies, changed, and given files. */
import { randomBytes, randomUUID } from 'node:crypto';
import { answerReferences, bareSubject } from '../customer-mail.ts';
import { readContent } from '../read-mail.ts';
import { type Answer, type Call, GraphError, isMime, jsonOf, mimeOf } from './http.ts';
import { addItem, findItem, folderOf, lift, moveItem, renameItem, touchItem } from './mailbox.ts';
import { showMessage } from './message.ts';
import { bracketed, type DraftFields, encoded, headOf, withBody, withFields, writeDraft, written } from './mime.ts';
import { attachmentShown, itemNamed } from './read.ts';
import type { AttachedFile, Item, Upload, World } from './world.ts';

type Wish = Record<string, unknown>;

const headersMax = 5;

/** Keeps a draft of MIME as it came. A draft of JSON has only what JSON can express. */
export async function createDraft(call: Call): Promise<Answer> {
  const { world, mailbox } = call;
  const raw = isMime(call) ? mimeOf(call.body) : rawOf(call, jsonOf(call.body));
  const item = addItem(world, mailbox, { raw, folder: 'drafts', isDraft: true, isRead: true });
  return { status: 201, body: await showMessage(call, item) };
}

/** @throws GraphError for headers that JSON may not set */
export function rawOf({ world, mailbox }: Call, wish: Wish): Buffer {
  const listOf = (name: string) => addressesIn(wish[name]);
  const { text, html } = bodyIn(wish.body);
  const draft: DraftFields = {
    from: written({ name: mailbox.displayName, email: mailbox.address }),
    to: listOf('toRecipients'),
    cc: listOf('ccRecipients'),
    bcc: listOf('bccRecipients'),
    replyTo: listOf('replyTo'),
    subject: typeof wish.subject === 'string' ? wish.subject : '',
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    messageId: typeof wish.internetMessageId === 'string' ? wish.internetMessageId : newMessageId(),
    headers: headersIn(wish.internetMessageHeaders),
  };
  return writeDraft(draft, world.clock.now());
}

export function newMessageId(): string {
  const name = `${randomBytes(6).toString('hex')}${randomBytes(6).toString('hex')}`.toUpperCase();
  return `<AM0P${name}@AM0P190MB0001.EURP190.PROD.OUTLOOK.COM>`;
}

function headersIn(list: unknown): Record<string, string> {
  const headers = (list ?? []) as { name: string; value: string }[]; // In the shape of the documentation.
  if (headers.length > headersMax)
    throw new GraphError(400, 'InvalidInternetMessageHeaderCollection', 'Maximum number of headers is 5.');
  const wrong = headers.find(({ name }) => !/^x-[\w-]+$/i.test(name));
  if (wrong !== undefined)
    throw new GraphError(
      400,
      'InvalidInternetMessageHeader',
      `The internet message header name '${wrong.name}' should start with 'x-' or 'X-'.`,
    );
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
}

function addressesIn(list: unknown): string[] {
  // In the shape of the documentation.
  const all = (list ?? []) as { emailAddress: { name?: string; address: string } }[];
  return all.map(({ emailAddress: { name, address } }) => written({ name: name ?? null, email: address }));
}

function bodyIn(body: unknown): { text?: string; html?: string } {
  if (typeof body !== 'object' || body === null) return { text: '' };
  const { contentType = 'text', content = '' } = body as { contentType?: string; content?: string };
  return contentType.toLowerCase() === 'html' ? { html: content } : { text: content };
}

export async function createReply(call: Call, { toAll }: { toAll: boolean }): Promise<Answer> {
  const item = await replyDraft(call, { toAll });
  return { status: 201, body: await showMessage(call, item) };
}

/** Puts a reply into its parent's conversation, with the headers for that. A reply of MIME has its own headers. */
export async function replyDraft(call: Call, { toAll }: { toAll: boolean }): Promise<Item> {
  const { world, mailbox } = call;
  const parent = itemNamed(call);
  const draft = { folder: 'drafts' as const, isDraft: true, isRead: true };
  if (isMime(call)) return addItem(world, mailbox, { raw: mimeOf(call.body), ...draft });
  const { message, comment } = jsonOf(call.body) as { message?: Wish; comment?: string };
  if (comment !== undefined && message?.body !== undefined)
    throw new GraphError(400, 'ErrorInvalidArgument', 'Specify either a comment or the body of the message, not both.');
  const head = headOf(parent.raw);
  const recipient = head.replyTo.length > 0 ? head.replyTo : head.from === null ? [] : [head.from];
  const others = (emails: string[]) =>
    emails.filter((email) => email !== mailbox.address.toLowerCase()).map((email) => written({ name: null, email }));
  const quoted = (await readContent(parent.raw)).text.replace(/^/gm, '> ');
  const { text, html } = message?.body === undefined ? { text: comment ?? '' } : bodyIn(message.body);
  const raw = writeDraft(
    {
      from: written({ name: mailbox.displayName, email: mailbox.address }),
      to: [...recipient.map(written), ...(toAll ? others(head.to) : [])],
      cc: toAll ? others(head.cc) : [],
      subject: `RE: ${bareSubject(head.subject)}`,
      ...(html === undefined ? { text: `${text ?? ''}\n\n${quoted}` } : { html }),
      messageId: newMessageId(),
      headers: {
        'In-Reply-To': parent.internetMessageId,
        References: answerReferences(head).map(bracketed).join('\r\n '),
        'Thread-Topic': encoded(head.subject),
        'Thread-Index': randomBytes(27).toString('base64'),
        ...headersIn(message?.internetMessageHeaders),
      },
    },
    world.clock.now(),
  );
  const item = addItem(world, mailbox, { raw, ...draft, conversationId: parent.conversationId });
  if (message !== undefined) change(item, message);
  return item;
}

function propertiesIn({ singleValueExtendedProperties: list = [] }: Wish): { id: string; value: string }[] {
  const all = list as { id: string; value: string }[]; // In the shape of the documentation.
  if (all.some(({ id }) => !/^\w+ (\{[0-9a-f-]{36}\} (Name|Id) \S+|0x[0-9a-f]+)$/i.test(id)))
    throw new GraphError(400, 'ErrorInvalidArgument', 'The id of an extended property is malformed.');
  return all;
}

export async function updateMessage(call: Call): Promise<Answer> {
  const { world, mailbox } = call;
  const item = itemNamed(call);
  const wish = jsonOf(call.body);
  if (wish.internetMessageHeaders !== undefined)
    throw new GraphError(400, 'ErrorInvalidPropertySet', 'internetMessageHeaders can only be set at creation.');
  const ofDrafts = ['subject', 'body', 'toRecipients', 'ccRecipients', 'bccRecipients', 'replyTo', 'internetMessageId'];
  if (!item.isDraft && ofDrafts.some((name) => wish[name] !== undefined))
    throw new GraphError(403, 'ErrorAccessDenied', 'What was delivered cannot be changed.');
  change(item, wish);
  for (const { id, value } of propertiesIn(wish)) item.properties.set(id, value);
  if (typeof wish.internetMessageId === 'string') {
    item.raw = withFields(item.raw, { 'Message-ID': bracketed(wish.internetMessageId) });
    renameItem(mailbox, item, bracketed(wish.internetMessageId));
  }
  if (typeof wish.isRead === 'boolean') item.isRead = wish.isRead;
  touchItem(world, mailbox, item);
  return { status: 200, body: await showMessage(call, item) };
}

function change(item: Item, wish: Wish): void {
  const lists = { To: 'toRecipients', Cc: 'ccRecipients', Bcc: 'bccRecipients', 'Reply-To': 'replyTo' };
  const fields = Object.entries(lists).flatMap(([field, name]) => {
    if (wish[name] === undefined) return [];
    const addresses = addressesIn(wish[name]);
    return [[field, addresses.length === 0 ? null : addresses.join(',\r\n ')]];
  });
  if (typeof wish.subject === 'string') fields.push(['Subject', encoded(wish.subject)]);
  if (fields.length > 0) item.raw = withFields(item.raw, Object.fromEntries(fields));
  if (wish.body !== undefined) item.raw = withBody(item.raw, bodyIn(wish.body));
}

export function deleteMessage(call: Call): Answer {
  const item = itemNamed(call);
  if (item.folder === 'deleteditems') lift(call.world, call.mailbox, item);
  else moveItem(call.world, call.mailbox, item, 'deleteditems');
  return { status: 204 };
}

export async function moveMessage(call: Call): Promise<Answer> {
  const item = itemNamed(call);
  const { destinationId } = jsonOf(call.body);
  const folder = folderOf(call.mailbox, String(destinationId));
  if (folder === undefined) throw new GraphError(404, 'ErrorItemNotFound', 'The folder was not found.');
  moveItem(call.world, call.mailbox, item, folder);
  return { status: 201, body: await showMessage(call, item) };
}

export function addAttachment(call: Call): Answer {
  const item = draftNamed(call);
  const wish = jsonOf(call.body);
  if (wish['@odata.type'] !== '#microsoft.graph.fileAttachment' || typeof wish.contentBytes !== 'string')
    throw new GraphError(400, 'ErrorInvalidArgument', 'A fileAttachment with contentBytes is needed.');
  const file = addFile(call.world, call, item, wish, Buffer.from(wish.contentBytes, 'base64'));
  return { status: 201, body: attachmentShown(file) };
}

function draftNamed(call: Call): Item {
  const item = itemNamed(call);
  if (!item.isDraft) throw new GraphError(403, 'ErrorAccessDenied', 'What was delivered cannot be changed.');
  return item;
}

function addFile(
  world: World,
  { mailbox }: Pick<Call, 'mailbox'>,
  item: Item,
  wish: Wish,
  content: Buffer,
): AttachedFile {
  const file: AttachedFile = {
    id: `${item.immutableId}F${item.files.length}`,
    name: String(wish.name ?? 'file'),
    contentType: String(wish.contentType ?? 'application/octet-stream'),
    contentId: typeof wish.contentId === 'string' ? wish.contentId : null,
    isInline: wish.isInline === true,
    content,
  };
  item.files.push(file);
  touchItem(world, mailbox, item);
  return file;
}

export function removeAttachment(call: Call): Answer {
  const item = draftNamed(call);
  const place = item.files.findIndex(({ id }) => id === call.params[1]);
  if (place === -1) throw new GraphError(404, 'ErrorItemNotFound', 'The attachment was not found.');
  item.files.splice(place, 1);
  touchItem(call.world, call.mailbox, item);
  return { status: 204 };
}

const uploadBytes = { min: 3_000_000, max: 150 * 1024 * 1024, sliceMax: 4 * 1024 * 1024 };

export function createUpload(call: Call): Answer {
  const item = draftNamed(call);
  const wish = (jsonOf(call.body).AttachmentItem ?? {}) as Wish;
  const size = Number(wish.size);
  if (wish.attachmentType !== 'file' || typeof wish.name !== 'string' || !Number.isInteger(size))
    throw new GraphError(400, 'ErrorInvalidArgument', 'attachmentType, name and size are needed.');
  if (size < uploadBytes.min)
    throw new GraphError(400, 'ErrorAttachmentSizeShouldNotBeLessThanMinimumSize', 'The file is smaller than 3 MB.');
  if (size > uploadBytes.max)
    throw new GraphError(413, 'ErrorAttachmentSizeLimitExceeded', 'The file is larger than 150 MB.');
  const key = randomUUID();
  const upload: Upload = {
    address: call.mailbox.address,
    itemId: item.immutableId,
    wish,
    sizeBytes: size,
    slices: [],
    takenBytes: 0,
  };
  call.world.uploads.set(key, upload);
  const uploadUrl = `${call.world.url}/uploads/${key}?authtoken=${randomUUID()}`;
  return { status: 201, body: { uploadUrl, ...progress(call.world, upload) } };
}

function progress(world: World, { takenBytes }: Upload): object {
  const expirationDateTime = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  return { expirationDateTime, nextExpectedRanges: [`${takenBytes}-`] };
}

export type Slice = { range: string | undefined; authorization: string | undefined; content: Buffer };

/** Takes the next slice of a file. The secret address replaces an authorization. */
export function takeSlice(world: World, key: string, { range, authorization, content }: Slice): Answer {
  const upload = world.uploads.get(key);
  const mailbox = world.mailboxes.get(upload?.address.toLowerCase() ?? '');
  if (upload === undefined || mailbox === undefined) throw new GraphError(404, 'ErrorItemNotFound', 'No such upload.');
  if (authorization !== undefined) throw new GraphError(401, 'InvalidAuthenticationToken', 'No authorization here.');
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range ?? '')?.map(Number) ?? [];
  const isWhole = from !== undefined && to !== undefined && to - from + 1 === content.length;
  if (!isWhole || from !== upload.takenBytes || total !== upload.sizeBytes || to >= upload.sizeBytes)
    throw new GraphError(416, 'ErrorInvalidRange', `The next byte expected is ${upload.takenBytes}.`);
  if (content.length >= uploadBytes.sliceMax)
    throw new GraphError(413, 'RequestEntityTooLarge', 'A slice is below 4 MB.');
  upload.slices.push(content);
  upload.takenBytes += content.length;
  if (upload.takenBytes < upload.sizeBytes) return { status: 200, body: progress(world, upload) };
  world.uploads.delete(key);
  const item = findItem(mailbox, upload.itemId);
  if (item === undefined) throw new GraphError(404, 'ErrorItemNotFound', 'The draft is gone.');
  const file = addFile(world, { mailbox }, item, upload.wish, Buffer.concat(upload.slices));
  const location = `${world.url}/v1.0/users/${mailbox.userId}/messages/${item.immutableId}/attachments/${file.id}`;
  return { status: 201, headers: { location } };
}
