import apiReference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** What is to be read at a path of the page. */
export type DocsFile = { contentType: string; content: Uint8Array };

const server = Fastify();
await server.register(apiReference, {
  routePrefix: '/docs',
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

async function read(path: string): Promise<DocsFile> {
  const { headers, rawPayload } = await server.inject(path);
  return { contentType: String(headers['content-type']), content: rawPayload };
}

const files = { '/docs/': await read('/docs/'), '/docs/js/scalar.js': await read('/docs/js/scalar.js') };
export type DocsPath = keyof typeof files;

export function answer(path: DocsPath): DocsFile {
  return files[path];
}
