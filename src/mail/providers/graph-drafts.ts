/** Creates drafts of our mail: as whole MIME if one request can hold it, else the text first, then each file. */
import type { Readable } from 'node:stream';
import { gatherBytes } from '../../ground/lib/join-bytes.ts';
import type { HostedFile, HostedMail } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { senseless } from './graph-faults.ts';
import type { GraphRequests } from './graph-requests.ts';

/** A request may have 4 MB, and base64 adds a third. */
const mimeBytesMax = 2_900_000;
/** Graph accepts smaller files only in one request, and larger files only in slices. */
const slicedBytesMin = 3_000_000;
/** Below 4 MB, and a multiple of 320 KiB, as Graph asks for uploads. */
const sliceBytes = 12 * 320 * 1024;
const requestTimeoutMs = 120_000;

/** @returns the whole mail, or undefined if it is too large for one request */
export async function wholeOf(mail: HostedMail): Promise<Buffer | undefined> {
  const filesBytes = mail.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  // The mail has its files in base64, so their sizes suffice to refuse it without composing.
  return (filesBytes * 4) / 3 > mimeBytesMax ? undefined : gatherBytes(mail.whole(), mimeBytesMax);
}

export function makeDraft(requests: GraphRequests, mime: Buffer): Promise<string> {
  return idOf(requests.askJson('/me/messages', { method: 'POST', mime, timeoutMs: requestTimeoutMs }));
}

/** @returns the draft once it has all files. After a failure, removes the incomplete draft. */
export async function makeDraftInParts(requests: GraphRequests, mail: HostedMail): Promise<string> {
  const text = await gatherBytes(mail.withoutFiles(), mimeBytesMax);
  if (text === undefined)
    throw new ProviderFault('refused', 'too_large', 'The text of the mail is larger than Microsoft 365 takes.');
  const id = await makeDraft(requests, text);
  try {
    for (const file of mail.files) await attach(requests, id, file);
  } catch (error) {
    // If this fails too, the next attempt finds the draft.
    await removeDraft(requests, id).catch(() => {});
    throw error;
  }
  return id;
}

export async function removeDraft(requests: GraphRequests, id: string): Promise<void> {
  await requests.ask(pathOf(id), { method: 'DELETE', takes: [404] });
}

async function attach(requests: GraphRequests, draftId: string, file: HostedFile): Promise<void> {
  if (file.sizeBytes >= slicedBytesMin) return upload(requests, draftId, file);
  const content = await gatherBytes(await file.open(), slicedBytesMin);
  if (content === undefined) throw otherSize(file);
  await requests.ask(`${pathOf(draftId)}/attachments`, {
    method: 'POST',
    json: {
      '@odata.type': '#microsoft.graph.fileAttachment',
      name: file.fileName,
      ...propertiesOf(file),
      contentBytes: content.toString('base64'),
    },
    timeoutMs: requestTimeoutMs,
  });
}

function propertiesOf({ contentType, contentId }: HostedFile): object {
  return { contentType, isInline: contentId !== null, ...(contentId !== null && { contentId }) };
}

async function upload(requests: GraphRequests, draftId: string, file: HostedFile): Promise<void> {
  const { sizeBytes } = file;
  const { uploadUrl } = await requests.askJson(`${pathOf(draftId)}/attachments/createUploadSession`, {
    method: 'POST',
    json: { AttachmentItem: { attachmentType: 'file', name: file.fileName, size: sizeBytes, ...propertiesOf(file) } },
  });
  if (typeof uploadUrl !== 'string') throw senseless('no_link');
  let sentBytes = 0;
  for await (const slice of slicesOf(await file.open())) {
    const end = sentBytes + slice.length;
    if (end > sizeBytes) throw otherSize(file);
    await requests.putSlice(uploadUrl, slice, `bytes ${sentBytes}-${end - 1}/${sizeBytes}`);
    sentBytes = end;
  }
  if (sentBytes !== sizeBytes) throw otherSize(file);
}

function otherSize({ fileName, sizeBytes }: HostedFile): Error {
  return new Error(`the file "${fileName}" is not of ${sizeBytes} bytes`);
}

async function* slicesOf(stream: Readable): AsyncGenerator<Buffer<ArrayBuffer>> {
  let pieces: Buffer<ArrayBuffer>[] = [];
  let held = 0;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece));
    held += piece.length;
    if (held < sliceBytes) continue;
    const all = Buffer.concat(pieces);
    const whole = all.length - (all.length % sliceBytes);
    for (let at = 0; at < whole; at += sliceBytes) yield all.subarray(at, at + sliceBytes);
    pieces = [all.subarray(whole)];
    held = all.length - whole;
  }
  if (held > 0) yield Buffer.concat(pieces);
}

function pathOf(draftId: string): string {
  return `/me/messages/${encodeURIComponent(draftId)}`;
}

async function idOf(answer: Promise<Record<string, unknown>>): Promise<string> {
  const { id } = await answer;
  if (typeof id !== 'string') throw senseless('no_id');
  return id;
}
