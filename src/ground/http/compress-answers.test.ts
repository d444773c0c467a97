import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { takesGzip } from './compress-answers.ts';

const house = useHouse();
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  for (let turn = 0; turn < 5; turn++) await owner.call('POST', '/tickets', { subject: 'A lamp', body: 'It is dark.' });
});

/** Uses `node:http`, because `fetch` adds headers and decompresses by itself. */
function get(path: string, encoding?: string): Promise<{ headers: Record<string, unknown>; bytes: Buffer }> {
  const headers = {
    authorization: `Bearer ${owner.token}`,
    'x-workspace-id': owner.workspaceId,
    ...(encoding !== undefined && { 'accept-encoding': encoding }),
  };
  return new Promise((resolve, reject) => {
    const url = `${house.url}/v1/workspaces/${owner.workspaceId}${path}`;
    const asked = request(url, { headers }, async (answer) => {
      if (answer.headers['content-type'] === 'text/event-stream') {
        answer.once('data', (bytes) => {
          resolve({ headers: answer.headers, bytes });
          answer.destroy();
        });
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      resolve({ headers: answer.headers, bytes: Buffer.concat(chunks) });
    });
    asked.on('error', reject).end();
  });
}

test('JSON over 1 kB is compressed for a client that accepts gzip', async () => {
  const plain = await get('/tickets');
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(plain.bytes.length) });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  const { headers, bytes } = await get('/tickets', 'br, gzip, identity;q=0.5');
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(bytes.length) });
  expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
  expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
});

test('answers to writes are compressed, with and without an idempotency key', async () => {
  const body = {
    subject: 'A lamp',
    body: 'It is dark. '.repeat(10),
    tags: Array.from({ length: 50 }, (_, i) => `a long tag ${i}`),
  };
  for (const headers of [{}, { 'idempotency-key': 'k1' }, { 'idempotency-key': 'k1' }]) {
    const { status, headers: told, body: ticket } = await owner.call('POST', '/tickets', body, headers);
    expect([status, told.get('content-encoding')]).toEqual([201, 'gzip']);
    expect(ticket.tags).toHaveLength(50);
    const note = { body: 'x'.repeat(2_000), isInternal: true };
    expect((await owner.call('POST', `/tickets/${ticket.id}/messages`, note)).body.body).toHaveLength(2_000);
  }
});

test('small answers and streams are sent as they are', async () => {
  expect((await get('/tickets?limit=0&count=true', 'gzip')).headers).not.toHaveProperty('content-encoding');
  const { headers, bytes } = await get('/events/stream', 'br, gzip');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(bytes.toString()).toContain('retry:');
});

test('every answer carries the version of the service', async () => {
  const { version } = packageJson;
  expect((await get('/tickets')).headers).toMatchObject({ 'x-kontor-version': version });
  expect((await get('/events/stream')).headers).toMatchObject({ 'x-kontor-version': version });
  for (const path of ['/', '/nothing', '/v1/config', '/v1/me', '/livez'])
    expect((await fetch(`${house.url}${path}`)).headers.get('x-kontor-version')).toBe(version);
});

test.each([
  [undefined, false],
  ['', false],
  ['deflate, br, zstd', false],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1, GZIP;q=0.1', true],
  ['gzip;q=0, *', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=x', false],
])('whether "%s" takes gzip: %s', (header, takes) => {
  expect(takesGzip(header)).toBe(takes);
});
