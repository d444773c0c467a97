import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openCommandLine } from '../harness/command-line.ts';
import { openServer } from '../harness/small-server.ts';

/** A server that answers some of the API, and not as Kontor does. */
let answers: Record<string, { type?: string; body: string | Buffer; isOpen?: boolean }> = {};
const server = await openServer((request, response) => {
  const path = (request.url ?? '').replace(/\?.*/, '').replace('/v1/workspaces/w', '');
  const { type = 'application/json', body, isOpen } = answers[path] ?? { body: '[]' };
  response.writeHead(200, { 'content-type': type }).write(body);
  if (!isOpen) response.end();
});
const commandLine = await openCommandLine();
afterAll(async () => {
  await server.close();
  await commandLine.remove();
});
const env = { KONTOR_URL: server.url, KONTOR_KEY: 'kontor_secret', KONTOR_WORKSPACE: 'w' };
const kontor = (words: string[]) => commandLine.kontor(words, { env });
let into: string;
beforeEach(({ task }) => {
  answers = {};
  into = join(commandLine.folder, task.id);
});

const id = '01a20da0-0000-7000-8000-000000000001';
const sha256 = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
const ticketWith = (attachment: object, messageId = id) => {
  const messages = [{ id: messageId, authentication: {}, attachments: [{ id, sha256, size: 11, ...attachment }] }];
  answers = {
    '/tickets': { body: JSON.stringify([{ id }]) },
    [`/tickets/${id}`]: { body: JSON.stringify({ id, messages }) },
    [`/tickets/${id}/events`]: { body: '[]' },
    [`/messages/${id}/raw`]: { type: 'message/rfc822', body: 'a mail' },
    [`/attachments/${id}`]: { type: 'text/plain', body: 'hello world' },
  };
};

test.each([
  ['a hash that is a path', { sha256: '../../escaped' }, id],
  ['an id that is a path', {}, '../../escaped'],
  ['another hash than that of the bytes', { sha256: 'a'.repeat(64) }, id],
  ['a file longer than its size', { size: 4 }, id],
])('an export refuses %s, and writes nothing of it', async (_name, attachment, messageId) => {
  ticketWith(attachment, messageId);
  const { code, err } = await kontor(['export', into, '--files']);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('did not come from Kontor') });
  const names = await readdir(commandLine.folder, { recursive: true });
  expect(names.filter((name) => /escaped|\.part$|files\/|tickets\.jsonl$/.test(name))).toEqual([]);
});

test('Ctrl+C in an export leaves no half file, and the next export is whole', async () => {
  ticketWith({});
  answers[`/attachments/${id}`] = { type: 'text/plain', body: 'hello', isOpen: true };
  const child = commandLine.start(['export', into, '--files'], { env });
  while (!(await stat(join(into, 'files', `${sha256}.part`)).catch(() => undefined)));
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  expect((await readdir(into, { recursive: true })).sort()).toEqual(['files', 'mail', `mail/${id}.eml`]);
  ticketWith({});
  expect(await kontor(['export', into, '--files'])).toMatchObject({ code: 0 });
  expect(await readFile(join(into, 'files', sha256), 'utf8')).toBe('hello world');
});

test('a reader that has seen enough ends the command in silence', async () => {
  const line = JSON.stringify({ id, subject: 'x'.repeat(200_000) });
  answers = { '/tickets': { body: `[${Array.from({ length: 40 }, () => line).join()}]` } };
  const child = commandLine.start(['tickets', 'list', '--json'], { env });
  let err = '';
  child.stderr.on('data', (text) => (err += text));
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(err).toBe('');
});

test('any operation gives the bytes of a file as they are', async () => {
  const bytes = Buffer.from([0, 255, 27, 93, 10, 10]);
  const operation = { operationId: 'download', parameters: [] };
  const path = '/v1/workspaces/{workspaceId}/file';
  answers = {
    '/v1/openapi.json': { body: JSON.stringify({ paths: { [path]: { get: operation } } }) },
    '/file': { type: 'application/octet-stream', body: bytes },
  };
  const child = commandLine.start(['api', 'download'], { env });
  const parts: Buffer[] = await child.stdout.toArray();
  expect(Buffer.concat(parts)).toEqual(bytes);
});
