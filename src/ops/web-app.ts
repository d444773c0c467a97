import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../http/http.ts';

/** The output folder of `npm run build:web`. */
const builtFolder = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/**
 * Allows scripts and style sheets only from this service. Mail is shown in frames without scripts, which inherit this
 * policy; inline styles are allowed for mail. Two Trusted Types policies may turn text into HTML: `kontor-mail`, and
 * the editor's policy for pasted text.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types kontor-mail ProseMirrorClipboard',
].join(';');

/** The addresses of the web inbox, the same as in `web/src/paths.ts`. */
export const pagePaths: readonly string[] = [
  '/',
  '/new',
  '/undelivered',
  '/c',
  '/c/:contactId',
  '/t/:number',
  '/v/:viewId',
  '/settings/:section',
  '/settings/:section/:id',
  '/workspaces',
  '/welcome',
  '/sign-in',
  '/register',
  '/verify-email',
  '/forgot-password',
  '/reset-password',
  '/confirm-email',
  '/accept-invite',
];

const hidden = { schema: { hide: true } };

/** Whether a route belongs to the web inbox. */
export function isWebPath(url: string): boolean {
  return pagePaths.includes(url) || url === '/assets/*' || url === '/icon.svg';
}

/**
 * Serves the built web inbox: its files, and its page at each of its addresses. Without a build, only the API is
 * served, and `/` redirects to its documentation.
 */
export async function installWebApp(server: Server, folder = builtFolder): Promise<void> {
  if (!existsSync(`${folder}index.html`)) {
    server.get('/', hidden, async (_request, reply) => reply.redirect('/docs/'));
    return;
  }
  const page = readFileSync(`${folder}index.html`);
  await server.register(fastifyStatic, { root: folder, serve: false, cacheControl: false, preCompressed: true });
  server.get('/assets/*', hidden, (request, reply) => {
    // File names contain a hash of the content.
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.sendFile(request.url.slice(1).split('?')[0] ?? '');
  });
  server.get('/icon.svg', hidden, (_request, reply) =>
    reply.header('cache-control', 'max-age=3600').sendFile('icon.svg'),
  );
  const sendPage = (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page);
  for (const path of pagePaths) server.get(path, hidden, sendPage);
}
