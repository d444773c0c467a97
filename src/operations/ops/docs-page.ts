import type { FastifyReply } from 'fastify';
import type { Server } from '../../ground/http/http.ts';
import { openWorkerPool } from '../../ground/platform/worker-pool.ts';
import type { DocsFile, DocsPath } from './docs-page-worker.ts';

/** Allows the page's own script and its inline styles. Requests to other origins are refused. */
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
 * Serves the API reference at `/docs`. This process serves all parts itself, so the page works without the internet. A
 * worker thread delivers them and ends when the page is no longer used: the script and its module take 17 MB.
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
    // The page refers to its script by a relative address, so it needs the trailing slash.
    request.url.startsWith('/docs/') ? send('/docs/', reply) : reply.redirect('/docs/', 301),
  );
  server.get('/docs/js/scalar.js', { schema: { hide: true } }, async (_request, reply) =>
    send('/docs/js/scalar.js', reply),
  );
}
