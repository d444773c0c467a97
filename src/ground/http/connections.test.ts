import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bodyLimitsDefault } from './body-limits.ts';
import { openConnections } from './connections.ts';

const open: (Socket | HttpServer)[] = [];

afterEach(() => {
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  openConnections(bodyLimitsDefault).watch(server);
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return server;
}

async function dial(server: HttpServer, text: string): Promise<{ socket: Socket; received: Promise<string> }> {
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.push(socket);
  const parts: Buffer[] = [];
  const received = new Promise<string>((resolve, reject) => {
    socket.on('data', (part) => parts.push(part)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString()));
  });
  await accepted;
  if (text !== '') socket.write(text);
  return { socket, received };
}

function close(server: HttpServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

const get = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

test.each([
  ['nothing', ''],
  ['half a request line', 'GET /li'],
])('a connection that sent %s does not delay the end', async (_what, text) => {
  const server = await serve((_request, response) => response.end('x'));
  const { received } = await dial(server, text);
  await close(server);
  expect(await received).toBe('');
});

test('a connection that was answered and is kept does not delay the end', async () => {
  const server = await serve((_request, response) => response.end('answered'));
  const { socket, received } = await dial(server, get);
  await once(socket, 'data');
  await close(server);
  expect(await received).toMatch(/answered$/);
});

test('a slow reader gets all of an answer whose end was written before the server began to close', async () => {
  const bytes = 12 * 1024 * 1024;
  const ended = Promise.withResolvers<void>();
  const server = await serve((_request, response) => {
    response.setHeader('content-length', bytes);
    response.end(Buffer.alloc(bytes, 'x'));
    ended.resolve();
  });
  const { socket, received } = await dial(server, get);
  socket.pause();
  await ended.promise;
  const closed = close(server);
  // A second close before the event loop polls must not treat this connection as idle.
  server.closeIdleConnections();
  await new Promise((resolve) => setImmediate(resolve));
  socket.resume();
  expect((await received).split('\r\n\r\n')[1]?.length).toBe(bytes);
  await closed;
});

test('an answer under way when the server begins to close says that the connection closes', async () => {
  const arrived = Promise.withResolvers<() => void>();
  const server = await serve((_request, response) => arrived.resolve(() => response.end('late')));
  const { received } = await dial(server, get);
  const answer = await arrived.promise;
  const closed = close(server);
  answer();
  expect(await received).toMatch(/^connection: close\r$/im);
  await closed;
});

test('requests under way are answered, and so are requests queued behind them on the same connection', async () => {
  const answers: (() => void)[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = await serve((request, response) => {
    answers.push(() => response.end(`to ${request.url}`));
    if (answers.length === 2) arrived.resolve();
  });
  const { received } = await dial(server, get.replace('/', '/one') + get.replace('/', '/two'));
  await arrived.promise;
  const closed = close(server);
  for (const answer of answers) answer();
  expect(await received).toMatch(/to \/one.*to \/two/s);
  await closed;
});
