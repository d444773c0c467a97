import type { FastifyReply } from 'fastify';
import type { Server } from '../http/http.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import type { DocsFile, DocsPath } from './docs-page-worker.ts';

/** The page's own script, and the styles that it writes into the page; whatever would reach further is refused. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join(';');

/**
 * The API reference at `/docs`, of parts that this process serves itself: it works on a machine without the internet. They come
 * from a thread that lives while the page is looked at: its script and the module that brings it hold 17 MB.
 */
export function installDocsPage(server: Server): void {
  const pool = openWorkerPool<DocsPath, DocsFile>({
    module: new URL('./docs-page-worker.ts', import.meta.url),
    threadsMax: 1,
    waitingMax: 100,
  });
  server.addHook('onClose', pool.close);
  const send = async (path: DocsPath, reply: FastifyReply) => {
    const { contentType, content } = await pool.ask(path);
    return reply.header('content-security-policy', contentSecurityPolicy).type(contentType).send(Buffer.from(content));
  };
  server.get('/docs/', { schema: { hide: true } }, async (request, reply) =>
    // The page names its script relative to its own address.
    request.url.startsWith('/docs/') ? send('/docs/', reply) : reply.redirect('/docs/', 301),
  );
  server.get('/docs/js/scalar.js', { schema: { hide: true } }, async (_request, reply) =>
    send('/docs/js/scalar.js', reply),
  );
}
