import apiReference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** The content at one path of the page. */
export type DocsFile = { contentType: string; content: Uint8Array };

const server = Fastify();
await server.register(apiReference, {
  routePrefix: '/docs',
  configuration: {
    url: '/v1/openapi.json',
    pageTitle: 'Kontor API',
    // Requests from the page go to the page's own origin, under any host name of the machine.
    servers: [{ url: '/' }],
    // Turns off everything that contacts the page's vendor or advertises its products.
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
  },
});

async function readFileOf(path: string): Promise<DocsFile> {
  const { headers, rawPayload } = await server.inject(path);
  return { contentType: String(headers['content-type']), content: rawPayload };
}

const files = { '/docs/': await readFileOf('/docs/'), '/docs/js/scalar.js': await readFileOf('/docs/js/scalar.js') };
export type DocsPath = keyof typeof files;

export function answer(path: DocsPath): DocsFile {
  return files[path];
}
