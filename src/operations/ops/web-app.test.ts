import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { installFaults } from '../../ground/http/faults.ts';
import type { Server } from '../../ground/http/http.ts';
import { installWebApp } from './web-app.ts';

async function serverWithPage() {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<title>Kontor</title>');
  writeFileSync(join(folder, 'assets/index-1.js'), 'start()');
  const server = fastify() as unknown as Server;
  const onUnknownAddress = installFaults(server);
  await installWebApp(server, onUnknownAddress, `${folder}/`);
  server.post('/v1/things', async () => ({}));
  return server;
}

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each(['/nowhere', '/drafts/', '/t/1/further', '/v10', '/documents', '/a?b=/v1/', '/some.png'])(
  'a browser at %s gets the page, which leads on',
  async (url) => {
    const server = await serverWithPage();
    const { statusCode, headers, body } = await server.inject({ url, headers: { accept: browser } });
    expect({ statusCode, body }).toEqual({ statusCode: 404, body: '<title>Kontor</title>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      vary: 'accept, accept-language, accept-encoding',
    });
  },
);

test.each([
  ['GET', '/nowhere', '*/*', 404],
  ['GET', '/nowhere', undefined, 404],
  ['GET', '/nowhere', 'application/json', 404],
  ['GET', '/v1/nowhere', browser, 404],
  ['GET', '/v1', browser, 404],
  ['GET', '/assets/gone.js', browser, 404],
  ['GET', '/v1/things', browser, 405],
  ['POST', '/nowhere', browser, 404],
] as const)('%s %s of %s stays JSON', async (method, url, accept, status) => {
  const server = await serverWithPage();
  const { statusCode, body } = await server.inject({ method, url, headers: accept === undefined ? {} : { accept } });
  expect(statusCode).toBe(status);
  expect(JSON.parse(body)).toHaveProperty('key', status === 405 ? 'route.method_not_allowed' : 'route.not_found');
});

test('a browser keeps a file of the page for good, and never the answer that it is missing', async () => {
  const server = await serverWithPage();
  const kept = async (url: string) => (await server.inject({ url })).headers['cache-control'];
  expect(await kept('/assets/index-1.js')).toBe('public, max-age=31536000, immutable');
  expect(await kept('/assets/index-2.js')).toBeUndefined();
});

test('the page is compressed for a browser that takes Brotli', async () => {
  const server = await serverWithPage();
  const asked = (encodings: string) =>
    server.inject({ url: '/', headers: { accept: browser, 'accept-encoding': encodings } });
  const { headers, rawPayload } = await asked('gzip, deflate, br');
  expect(headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(rawPayload).toString()).toBe('<title>Kontor</title>');
  const plain = await asked('gzip');
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.body).toBe('<title>Kontor</title>');
});
