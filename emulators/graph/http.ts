/** Requests and answers of the Graph emulator. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Mailbox, World } from './world.ts';

export type Call = {
  world: World;
  /** The mailbox in the path. Subscriptions have the token's mailbox, or none for an application. */
  mailbox: Mailbox;
  /** The mailbox of the token. Undefined for an application's token. */
  caller: Mailbox | undefined;
  isApplication: boolean;
  scopes: string[];
  method: string;
  /** The variable parts of the path. */
  params: string[];
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  isImmutable: boolean;
};

export type Answer = { status: number; body?: object | Buffer; headers?: Record<string, string> };

/** An error answer; `headers` go with it. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message = code, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function errorAnswer(world: World, { status, code, message, headers }: GraphError): Answer {
  const id = randomUUID();
  const innerError = { date: world.clock.now().toISOString().slice(0, 19), 'request-id': id, 'client-request-id': id };
  return { status, headers, body: { error: { code, message, innerError } } };
}

/** The largest request with JSON or MIME. */
const bodyBytesMax = 4 * 1024 * 1024;

export async function readBody(request: IncomingMessage, max = bodyBytesMax): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length; // The request has no encoding set, so chunks are buffers.
    if (size <= max) chunks.push(chunk as Buffer);
  }
  if (size > max) throw new GraphError(413, 'RequestEntityTooLarge', 'The request is larger than 4 MB.');
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** @throws GraphError unless the body is a JSON object */
export function jsonOf(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new GraphError(400, 'BadRequest', 'Unable to read JSON request payload.');
}

export function isMime(call: Call): boolean {
  return (call.headers['content-type'] ?? '').startsWith('text/plain');
}

/** @throws GraphError unless the body is base64 */
export function mimeOf(body: Buffer): Buffer {
  const text = body.toString('latin1').trim();
  if (text === '' || !/^[A-Za-z0-9+/\r\n]+={0,2}$/.test(text) || text.replace(/[\r\n]/g, '').length % 4 !== 0)
    throw new GraphError(400, 'ErrorMimeContentInvalidBase64String', 'Invalid base64 string for MIME content.');
  return Buffer.from(text, 'base64');
}
