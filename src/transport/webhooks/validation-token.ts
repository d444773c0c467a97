import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { IssueKey, IssueParams } from '../../ground/lib/issues.ts';

const parameterName = 'validationToken';
const charactersMax = 4_096;
/** The most bytes of one character in UTF-8. */
const bytesMax = 4;
const utf8 = new TextDecoder();

/**
 * Answers a provider's check that this address is ours, before any other check. The provider asks while our request
 * for the subscription is pending, with type text and no body.
 * Throws `request.invalid` when there is neither a token nor a body.
 */
export async function echoToken({ url, method, headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const token = validationTokenIn(url);
  if (token !== undefined) return reply.type('text/plain; charset=utf-8').send(token);
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (method !== 'POST' || !hasBody) throw tokenMissing();
  return undefined;
}

export function tokenMissing(): AppError {
  return badToken('required');
}

/**
 * The token of an address, byte for byte. Decoded as a form, where + is a blank, because Graph sends it so.
 * @returns undefined when the token is missing or empty
 * Throws `request.invalid` for several tokens, for more than 4,096 characters, and for U+0000.
 */
function validationTokenIn(url: string): Buffer | undefined {
  const token = parameterIn(url);
  if (token === undefined || token.length === 0) return undefined;
  if (token.includes(0)) throw badToken('bad_text');
  if (token.length > charactersMax * bytesMax || [...utf8.decode(token)].length > charactersMax)
    throw badToken('too_long', { limit: charactersMax });
  return token;
}

function badToken(key: IssueKey, params: IssueParams = {}): AppError {
  return invalidRequest({ path: `query.${parameterName}`, key, params });
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
  if (tokens.length > 1) throw badToken('repeated');
  return tokens[0];
}

/** Keeps invalid escapes. Node passes each byte of an address as one character. */
function formDecoded(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_escape, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1');
}
