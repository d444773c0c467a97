import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Server } from './http.ts';

/** Smaller answers fit into a packet as they are. */
const compressedFromChars = 1_024;
/** Of 11: a page of tickets becomes a seventh in a millisecond; the highest quality takes a hundred times as long. */
const brotliQuality = 4;

/**
 * Compresses JSON for clients that ask for it, outside the event loop. Nothing else: files are as they are, assets of the web
 * inbox are compressed when they are built, and streams must not wait in a compressor's buffer.
 */
export function installCompression(server: Server): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isLarge = typeof payload === 'string' && payload.length >= compressedFromChars;
    if (!isLarge || !isJson(reply.getHeader('content-type')) || reply.hasHeader('content-encoding')) {
      done(null, payload);
      return;
    }
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === undefined) {
      done(null, payload);
      return;
    }
    const onBytes = (error: Error | null, bytes: Buffer): void => {
      if (error === null) reply.header('content-encoding', encoding).removeHeader('content-length');
      done(null, error === null ? bytes : payload);
    };
    if (encoding === 'gzip') gzip(payload, onBytes);
    else brotliCompress(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }, onBytes);
  });
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

const encodings = ['br', 'gzip'] as const;

/** What a client likes best of what we have (RFC 9110 §12.5.3); undefined: nothing of it. */
export function encodingFor(header: string | undefined): (typeof encodings)[number] | undefined {
  if (header === undefined) return undefined;
  const wishes = new Map(
    header.split(',').map((wish) => {
      const [name = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, quality === undefined ? 1 : Number(quality) || 0];
    }),
  );
  const qualityOf = (name: string): number => wishes.get(name) ?? wishes.get('*') ?? 0;
  const [best] = encodings.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}
