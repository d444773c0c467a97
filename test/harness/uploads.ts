import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Answer, Person } from '../worlds/factories.ts';
import type { House } from './harness.ts';

export type UploadParts = {
  name?: string;
  type?: string;
  content?: string | Uint8Array;
  headers?: Record<string, string>;
};

const boundary = 'the-boundary';

/** One file in a form, as bytes. The file name is not escaped as a browser would. */
export function formOf({ name = 'notes.txt', type = 'text/plain', content = 'Some notes.' }: UploadParts = {}): Buffer {
  return formWith(
    [`Content-Disposition: form-data; name="file"; filename="${name}"`, `Content-Type: ${type}`].join('\r\n'),
    content,
  );
}

/** A form of parts, each its header lines and its content. */
export function formWith(...parts: (string | Uint8Array)[]): Buffer {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    lines.push(
      Buffer.from(`--${boundary}\r\n${parts[at]}\r\n\r\n`),
      Buffer.from(parts[at + 1] ?? ''),
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...lines, Buffer.from(`--${boundary}--\r\n`)]);
}

export function upload(house: House, person: Person, ticketId: string, parts: UploadParts = {}): Promise<Answer> {
  return sendForm(house, person, ticketId, formOf(parts), parts.headers);
}

/** An upload that belongs to no ticket yet. */
export function uploadApart(house: Pick<House, 'url'>, person: Person, parts: UploadParts = {}): Promise<Answer> {
  return postForm(house, person, 'uploads', formOf(parts), parts.headers);
}

export function sendForm(
  house: Pick<House, 'url'>,
  person: Person,
  ticketId: string,
  form: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return postForm(house, person, `tickets/${ticketId}/attachments`, form, headers);
}

export async function postForm(
  house: Pick<House, 'url'>,
  person: Person,
  place: string,
  form: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const path = `/v1/workspaces/${person.workspaceId}/${place}`;
  const response = await fetch(`${house.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.token}`,
      'x-workspace-id': person.workspaceId,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body: Buffer.from(form),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Begins to send a form and hangs up. Resolves once the service has noticed. */
export async function breakOff(house: House, person: Person, ticketId: string, form: Uint8Array): Promise<void> {
  const half = form.subarray(0, form.length / 2);
  const closed = new Promise<void>((resolve) => {
    house.server.server.once('request', (received) => received.once('close', resolve));
  });
  const sent = request(`${house.url}/v1/workspaces/${person.workspaceId}/tickets/${ticketId}/attachments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.token}`,
      'x-workspace-id': person.workspaceId,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': form.length,
    },
  });
  sent.on('error', () => {});
  sent.write(half, () => sent.destroy());
  await closed;
}

/** Paths of all stored files, and of files in transfer. */
export async function keptFiles({ app }: House): Promise<string[]> {
  const { storage } = app.config;
  const root = storage.kind === 'disk' ? storage.root : join(app.config.dataDir, 'spool');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
