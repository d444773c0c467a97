/** The methods of users.messages. */
import { headersOf, readHead } from '../read-mail.ts';
import { type Answer, notFound, Refusal } from './answer.ts';
import { changeLabels, type StoredMail } from './mailbox.ts';
import { openPageToken, pageToken, sizeOfPage } from './pages.ts';
import { recipientsOf } from './post.ts';
import { readSearch } from './search.ts';
import { readJson, readSendJson, readSendUpload } from './upload.ts';
import type { Call, World } from './world.ts';

/** The API accepts larger uploads than Gmail then sends. */
const uploadBytesMax = 36_700_160;
const sentBytesMax = 25 * 1024 * 1024;
const recipientsMax = 500;

/** Newest first. */
export function listMails(_world: World, { mailbox, query }: Call): Answer {
  const labelIds = query.getAll('labelIds');
  const q = query.get('q') ?? '';
  const search = readSearch(q);
  const showsAll =
    query.get('includeSpamTrash') === 'true' ||
    search.namesPlace ||
    labelIds.some((label) => /^(SPAM|TRASH)$/.test(label));
  const bound = `messages ${mailbox.address} ${labelIds.join(',')} ${q}`;
  const from = query.has('pageToken') ? openPageToken(query.get('pageToken'), bound) : [];
  const size = sizeOfPage(query);
  const found = mailbox.inOrder
    .filter(
      (mail) =>
        labelIds.every((label) => mail.labelIds.includes(label)) &&
        (showsAll || !mail.labelIds.some((label) => label === 'SPAM' || label === 'TRASH')) &&
        search.test(mail),
    )
    .reverse();
  const left = found.filter((mail) => isOlder(mail, from));
  const page = left.slice(0, size);
  const last = page.at(-1);
  const body = {
    ...(page.length > 0 && { messages: page.map(({ id, threadId }) => ({ id, threadId })) }),
    ...(last !== undefined &&
      left.length > size && { nextPageToken: pageToken([last.internalDate, last.sequence], bound) }),
    resultSizeEstimate: found.length,
  };
  return { status: 200, body };
}

/** Pages by position in time, so that mail arriving between two pages repeats or hides no other mail. */
function isOlder(
  mail: StoredMail,
  [internalDate = Number.POSITIVE_INFINITY, sequence = 0]: readonly number[],
): boolean {
  return mail.internalDate < internalDate || (mail.internalDate === internalDate && mail.sequence < sequence);
}

export function getMail(_world: World, call: Call): Answer {
  return { status: 200, body: shown(mailOf(call), call.query) };
}

/** Handles modify, trash and untrash. */
export function relabel({ onChange }: World, call: Call): Answer {
  const mail = mailOf(call);
  changeLabels(call.mailbox, mail, orderOf(call), onChange);
  const { id, threadId, labelIds } = mail;
  return { status: 200, body: { id, threadId, labelIds } };
}

export function relabelMany({ onChange }: World, { mailbox, body }: Call): Answer {
  const order = readJson(body);
  for (const id of listOf(order.ids)) {
    const mail = mailbox.mails.get(id);
    if (mail === undefined) continue;
    changeLabels(mailbox, mail, { add: listOf(order.addLabelIds), remove: listOf(order.removeLabelIds) }, onChange);
  }
  return { status: 204 };
}

export async function sendMail({ post, settings }: World, call: Call): Promise<Answer> {
  const { mailbox, query, contentType, body } = call;
  if (body.length > uploadBytesMax * 1.4) throw new Refusal(413, 'Request Entity Too Large');
  const isUpload = query.has('uploadType');
  const { raw, threadId } = isUpload ? readSendUpload(body, query.get('uploadType'), contentType) : readSendJson(body);
  if (raw.length > uploadBytesMax) throw new Refusal(413, 'Request Entity Too Large');
  if (raw.length > sentBytesMax) throw new Refusal(400, 'Message exceeds the size limit of sent mail');
  const recipients = recipientsOf(readHead(raw));
  if (recipients.length === 0) throw new Refusal(400, 'Recipient address required');
  if (recipients.length > recipientsMax) throw new Refusal(400, 'Too many recipients');
  const sent = await post.send(mailbox, raw, { threadId, rewritesMessageId: settings.rewritesMessageIds });
  return { status: 200, body: { id: sent.id, threadId: sent.threadId, labelIds: sent.labelIds } };
}

/** @throws Refusal if the mailbox has no mail with this id */
function mailOf({ mailbox, ids }: Call): StoredMail {
  const mail = mailbox.mails.get(ids[0] ?? '');
  if (mail === undefined) throw notFound();
  return mail;
}

/** A mail in the formats that a client which reads whole mails needs. Parts are shown in none of them. */
function shown({ id, threadId, labelIds, internalDate, historyId, raw }: StoredMail, query: URLSearchParams): object {
  const about = {
    id,
    threadId,
    ...(labelIds.length > 0 && { labelIds }),
    sizeEstimate: raw.length,
    historyId: String(historyId),
    internalDate: String(internalDate),
  };
  const format = (query.get('format') ?? 'full').toLowerCase();
  if (format === 'minimal') return about;
  if (format === 'raw') return { ...about, raw: raw.toString('base64url') };
  if (format !== 'metadata') throw new Refusal(400, `Invalid value at 'format': "${format}"`);
  return { ...about, payload: { headers: headersNamed(raw, query.getAll('metadataHeaders')) } };
}

function headersNamed(raw: Buffer, names: readonly string[]) {
  const wanted = names.map((name) => name.toLowerCase());
  return headersOf(raw).filter(({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()));
}

function orderOf({ ids, body }: Call): { add: string[]; remove: string[] } {
  if (ids[1] === 'trash') return { add: ['TRASH'], remove: ['INBOX'] };
  if (ids[1] === 'untrash') return { add: ['INBOX'], remove: ['TRASH'] };
  const order = readJson(body);
  return { add: listOf(order.addLabelIds), remove: listOf(order.removeLabelIds) };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
