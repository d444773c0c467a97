import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, invalidRequest } from '../lib/errors.ts';

const parameterName = 'validationToken';
const charactersMax = 4_096;
/** Of one character in UTF-8. */
const bytesMax = 4;
const utf8 = new TextDecoder();

/**
 * Answers a provider that asks whether this address is ours, before anything else is looked at: it asks while our own request
 * for the subscription is under way, and with a type of text and no body.
 * Throws `request.invalid` where there is neither a token nor a body to go on with.
 */
export async function echoToken({ url, method, headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const token = validationTokenIn(url);
  if (token !== undefined) return reply.type('text/plain; charset=utf-8').send(token);
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (method !== 'POST' || !hasBody) throw tokenMissing();
  return undefined;
}

export function tokenMissing(): AppError {
  return refusal('is required');
}

/**
 * The token in an address, decoded as a form, where + is a blank (Graph sends it so), and byte for byte.
 * @returns undefined where none is given, or an empty one
 * Throws `request.invalid` for more than one, for one of more than 4,096 characters, or with U+0000.
 */
function validationTokenIn(url: string): Buffer | undefined {
  const token = parameterIn(url);
  if (token === undefined || token.length === 0) return undefined;
  if (token.includes(0)) throw refusal('holds U+0000');
  if (token.length > charactersMax * bytesMax || [...utf8.decode(token)].length > charactersMax)
    throw refusal(`must not have more than ${charactersMax} characters`);
  return token;
}

function refusal(message: string): AppError {
  return invalidRequest({ path: `query.${parameterName}`, message });
}

function parameterIn(url: string): Buffer | undefined {
  const start = url.indexOf('?');
  if (start < 0) return undefined;
  const tokens = url
    .slice(start + 1)
    .split('&')
    .map((part) => ({ part, at: part.indexOf('=') }))
    .filter(({ part, at }) => at > 0 && formDecoded(part.slice(0, at)).toString() === parameterName)
    .map(({ part, at }) => formDecoded(part.slice(at + 1)));
  if (tokens.length > 1) throw refusal('must occur once');
  return tokens[0];
}

/** What is no escape stays as it is; node hands on each byte of an address as one character. */
function formDecoded(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_escape, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1');
}
