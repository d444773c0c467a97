import { request } from 'node:http';
import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { hostOf } from './own-host.ts';

const house = useHouse();

/** `fetch` does not let its caller choose the host. */
const statusFor = (host: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${house.url}${path}`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });

test.each(['/v1/config', '/metrics', '/v1/auth/session', '/', '/nothing'])(
  'a foreign host gets no %s',
  async (path) => {
    for (const host of [
      'evil.com',
      'evil.com:3000',
      'localhost.evil.com',
      '127.0.0.1.nip.io',
      'kontor.',
      'a.example.com',
    ])
      expect(await statusFor(host, path)).toBe(421);
  },
);

test.each([
  'localhost:3000',
  'kontor.localhost',
  '127.0.0.1',
  '[::1]:3000',
  '192.168.1.7:3000',
  'kontor:3000',
  'host.docker.internal:3000',
  'kontor.local',
  'inbox.office.example',
])('the host %s is served', async (host) => {
  expect(await statusFor(host, '/v1/config')).toBe(200);
});

test('a header that is no host has none', () => {
  expect([undefined, '', 'a b', '[::1', `${'a'.repeat(400)}`].map(hostOf)).toEqual(Array(5).fill(undefined));
});
