import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { installFaults } from '../../ground/http/faults.ts';
import type { Server } from '../../ground/http/http.ts';

/** The output folder of `npm run build:web`. */
const builtFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/**
 * Allows scripts and style sheets only from this service. Mail is shown in frames without scripts, which inherit this
 * policy; inline styles are allowed for mail. Two Trusted Types policies may turn text into HTML: `kontor-mail`, and
 * the editor's policy for pasted text. `kontor-worker` names the service worker.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
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
  'trusted-types kontor-mail kontor-worker ProseMirrorClipboard',
].join(';');

/** The policy of the service worker itself, which only fetches files of this service. */
const workerPolicy = "default-src 'none'; connect-src 'self'";

/** The addresses of the web inbox, the same as in `web/src/paths.ts`. */
export const pagePaths: readonly string[] = [
  '/',
  '/new',
  '/drafts',
  '/undelivered',
  '/scheduled',
  '/reports',
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

/** Icons and the manifest, whose names have no hash. */
const isPublicFile = /^\/?[\w-]+\.(svg|png|webmanifest)$/;

/** Whether a route belongs to the web inbox. */
export function isWebPath(url: string): boolean {
  return pagePaths.includes(url) || url === '/assets/*' || url === '/sw.js' || isPublicFile.test(url);
}

/**
 * Serves the built web inbox: its files, and its page at each of its addresses, and to browsers at unknown ones.
 * Without a build, only the API is served, and `/` redirects to its documentation.
 */
export async function installWebApp(
  server: Server,
  onUnknownAddress: ReturnType<typeof installFaults>,
  folder = builtFolder,
): Promise<void> {
  if (!existsSync(`${folder}index.html`)) {
    server.get('/', hidden, async (_request, reply) => reply.redirect('/docs/'));
    return;
  }
  const pageFor = pagesIn(folder);
  await server.register(fastifyStatic, {
    ...{ root: folder, serve: false, cacheControl: false, preCompressed: true },
    setHeaders: (reply, path) => {
      // File names contain a hash of the content. A missing file may still come, so no browser keeps that answer.
      if (path.startsWith(`${folder}assets/`)) reply.header('cache-control', 'public, max-age=31536000, immutable');
    },
  });
  server.get('/assets/*', hidden, (request, reply) => reply.sendFile(request.url.slice(1).split('?')[0] ?? ''));
  for (const name of readdirSync(folder).filter((name) => isPublicFile.test(name)))
    server.get(`/${name}`, hidden, (_request, reply) => reply.header('cache-control', 'max-age=3600').sendFile(name));
  // Browsers ask for it again at each visit, so that no old version stays.
  server.get('/sw.js', hidden, (_request, reply) =>
    reply.header('cache-control', 'no-cache').header('content-security-policy', workerPolicy).sendFile('sw.js'),
  );
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const { plain, brotli } = pageFor(request.headers['accept-language']);
    const isBrotli = takesBrotli(request.headers['accept-encoding']);
    if (isBrotli) reply.header('content-encoding', 'br');
    return reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-cache')
      .header('vary', `${reply.statusCode === 404 ? 'accept, ' : ''}accept-language, accept-encoding`)
      .type('text/html; charset=utf-8')
      .send(isBrotli ? brotli : plain);
  };
  for (const path of pagePaths) server.get(path, hidden, sendPage);
  // The page leads to the inbox from there.
  onUnknownAddress(sendPage);
}

/**
 * The page comes in several languages, which differ in the words that the browser fetches first. Someone whose browser
 * has another language than their account fetches a second file of words.
 * @returns a function that chooses a page by the Accept-Language header; browsers send the best language first
 */
function pagesIn(folder: string): (accepted?: string) => Page {
  const english = readPage(`${folder}index.html`);
  const pages = new Map([['en', english]]);
  for (const name of readdirSync(folder)) {
    const language = /^index\.([a-z]{2})\.html$/.exec(name)?.[1];
    if (language !== undefined) pages.set(language, readPage(`${folder}${name}`));
  }
  return (accepted = '') => {
    const tags = accepted.split(',').map((tag) => tag.trim().slice(0, 2).toLowerCase());
    return pages.get(tags.find((tag) => pages.has(tag)) ?? 'en') ?? english;
  };
}

/** Compressed, the page fits into the first packets of a connection. */
type Page = { plain: Buffer; brotli: Buffer };

function readPage(path: string): Page {
  const plain = readFileSync(path);
  return { plain, brotli: brotliCompressSync(plain) };
}

function takesBrotli(header: string | undefined): boolean {
  return new Negotiator({ headers: { 'accept-encoding': header } }).encodings(['br']).length > 0;
}
