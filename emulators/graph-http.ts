/** Requests and answers of the Graph emulator. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Mailbox, World } from './graph-world.ts';

export type Call = {
  world: World;
  /** Whose mailbox it is about; what is about none (subscriptions) has the token's, and applications have none there. */
  mailbox: Mailbox;
  /** Whose token it is; undefined: the application's own. */
  caller: Mailbox | undefined;
  isApplication: boolean;
  scopes: string[];
  method: string;
  /** The path's variable parts. */
  params: string[];
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  isImmutable: boolean;
};

export type Answer = { status: number; body?: object | Buffer; headers?: Record<string, string> };

/** What is answered instead; `headers` go along. */
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

/** A whole request of JSON or MIME. */
const bodyBytesMax = 4 * 1024 * 1024;

export async function readBody(request: IncomingMessage, max = bodyBytesMax): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length; // no encoding is set
    if (size <= max) chunks.push(chunk as Buffer);
  }
  if (size > max) throw new GraphError(413, 'RequestEntityTooLarge', 'The request is larger than 4 MB.');
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** @throws GraphError for what is no JSON object */
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

/** @throws GraphError for what is not base64 of a mail */
export function mimeOf(body: Buffer): Buffer {
  const text = body.toString('latin1').trim();
  if (text === '' || !/^[A-Za-z0-9+/\r\n]+={0,2}$/.test(text) || text.replace(/[\r\n]/g, '').length % 4 !== 0)
    throw new GraphError(400, 'ErrorMimeContentInvalidBase64String', 'Invalid base64 string for MIME content.');
  return Buffer.from(text, 'base64');
}
