import apiReference from '@scalar/fastify-api-reference';
import type { Server } from '../platform/http.ts';

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

/** The API reference at `/docs`, of parts that this process serves itself: it works on a machine without the internet. */
export async function installDocsPage(server: Server): Promise<void> {
  server.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/'));
  await server.register(apiReference, {
    routePrefix: '/docs',
    logLevel: 'warn',
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header('content-security-policy', contentSecurityPolicy);
        done();
      },
    },
    configuration: {
      url: '/v1/openapi.json',
      pageTitle: 'Kontor API',
      // Requests made on the page go where the page came from, whatever name this machine goes by.
      servers: [{ url: '/' }],
      // All that would talk to the makers of the page or show what they sell.
      withDefaultFonts: false,
      telemetry: false,
      proxyUrl: '',
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  });
}
