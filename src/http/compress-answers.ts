import { gzip } from 'node:zlib';
import type { Server } from './http.ts';

/** Smaller answers fit into a packet as they are. */
const compressedFromChars = 1_024;

/**
 * Compresses JSON by gzip for clients that ask for it, outside the event loop: 100 tickets of 87 kB become 7. Brotli would save a
 * seventh more and take several times as long. Nothing else is compressed: files are as they are, assets of the web
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
    if (!takesGzip(request.headers['accept-encoding'])) {
      done(null, payload);
      return;
    }
    gzip(payload, (error, bytes) => {
      if (error === null) reply.header('content-encoding', 'gzip').removeHeader('content-length');
      done(null, error === null ? bytes : payload);
    });
  });
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

/** As RFC 9110 §12.5.3 has it. */
export function takesGzip(header: string | undefined): boolean {
  const wishes = new Map(
    (header ?? '').split(',').map((wish) => {
      const [name = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, quality === undefined ? 1 : Number(quality) || 0];
    }),
  );
  return (wishes.get('gzip') ?? wishes.get('*') ?? 0) > 0;
}
