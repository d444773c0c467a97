/** The parts of a mail, as messages.get shows them with format `full`. */
import { readStructured } from '../../src/mail/header-fields.ts';
import { type MimePart, readMimeTree } from '../../src/mail/mime-tree.ts';
import { decodeTransfer } from '../../src/mail/transfer.ts';
import { headersOf } from '../customer-mail.ts';

type Payload = {
  partId: string;
  mimeType: string;
  filename: string;
  headers: { name: string; value: string }[];
  body: { size: number; data?: string; attachmentId?: string };
  parts?: Payload[];
};

/** @param nonce makes attachment ids new in every call */
export function payloadOf(raw: Buffer, nonce: () => string): Payload {
  return partPayload(raw, readMimeTree(raw, 0).root, '', nonce);
}

export function headerPayload(raw: Buffer, names: readonly string[]) {
  const wanted = names.map((name) => name.toLowerCase());
  const headers = headersOf(raw);
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'text/plain';
  return {
    mimeType: readStructured(type).value,
    headers: headers.filter(({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase())),
  };
}

/** @returns undefined if the mail has no such attachment */
export function attachmentOf(raw: Buffer, attachmentId: string): Buffer | undefined {
  const partId = Buffer.from(attachmentId, 'base64url').toString().split('/')[1];
  if (partId === undefined) return undefined;
  let part: MimePart | undefined = readMimeTree(raw, 0).root;
  for (const index of partId === '' ? [] : partId.split('.')) part = part?.children[Number(index)];
  return part === undefined ? undefined : contentOf(raw, part);
}

function partPayload(raw: Buffer, part: MimePart, partId: string, nonce: () => string): Payload {
  const filename = part.disposition.parameters.get('filename') ?? part.contentType.parameters.get('name') ?? '';
  const isText = part.contentType.value.startsWith('text/') && filename === '';
  const content = part.children.length > 0 ? Buffer.alloc(0) : contentOf(raw, part);
  const held = isText ? { data: content.toString('base64url') } : { attachmentId: attachmentId(nonce(), partId) };
  return {
    partId,
    mimeType: part.contentType.value,
    filename,
    headers: partId === '' ? headersOf(raw) : [...part.fields],
    body: { size: content.length, ...(part.children.length === 0 && held) },
    ...(part.children.length > 0 && {
      parts: part.children.map((child, index) =>
        partPayload(raw, child, partId === '' ? String(index) : `${partId}.${index}`, nonce),
      ),
    }),
  };
}

function attachmentId(nonce: string, partId: string): string {
  return Buffer.from(`${nonce}/${partId}`).toString('base64url');
}

function contentOf(raw: Buffer, part: MimePart): Buffer {
  const encoding = part.fields.find(({ name }) => name === 'content-transfer-encoding')?.value ?? '';
  return decodeTransfer(raw.subarray(part.bodyStart, part.bodyEnd), encoding);
}
