import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { parseNetwork } from '../lib/networks.ts';
import { openPublicWeb } from './public-web.ts';

const names: Record<string, string[]> = { 'ours.example': ['127.0.0.1'], 'inside.example': ['10.0.0.7'] };
const server = createServer((request, answer) => {
  const location = new URL(request.url ?? '', 'http://x').searchParams.get('to');
  if (location !== null) answer.writeHead(302, { location }).end();
  else answer.end('Good day.');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const at = (path: string, host = 'ours.example') => `http://${host}:${(server.address() as AddressInfo).port}${path}`;
const loopback = parseNetwork('127.0.0.0/8');
const ask = openPublicWeb(loopback === undefined ? [] : [loopback], async (name) => names[name] ?? []);
const limits = { bytesMax: 100, timeoutMs: 5_000, redirectsMax: 2 };

test('a redirect is followed to an allowed address alone', async () => {
  expect((await ask(at(`/?to=${at('/end')}`), limits))?.bytes.toString()).toBe('Good day.');
  await expect(ask(at(`/?to=${at('/', 'inside.example')}`), limits)).rejects.toThrow(/network/);
  expect(await ask(at('/?to=file:///etc/passwd'), limits)).toBeUndefined();
  expect(await ask(at('/?to=?to=?to=/'), { ...limits, redirectsMax: 0 })).toBeUndefined();
});

test('plain HTTP is refused on the Internet, and a large answer is dropped', async () => {
  const outside = openPublicWeb([], async () => ['93.184.216.34']);
  await expect(outside('http://shop.example/', limits)).rejects.toThrow(/https/);
  expect(await ask(at('/'), { ...limits, bytesMax: 3 })).toBeUndefined();
});
