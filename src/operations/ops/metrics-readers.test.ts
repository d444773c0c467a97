import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call } from '../../../test/worlds/factories.ts';
import { metricsReaders } from './metrics-readers.ts';

const token = 'a-token-of-prometheus';

describe('with a token', () => {
  const house = useHouse({ METRICS_TOKEN: token });
  const read = (headers: Record<string, string>) =>
    fetch(`${house.url}/metrics`, { headers }).then(({ status }) => status);

  test('a caller on this machine reads the metrics', async () => {
    expect(await read({})).toBe(200);
  });

  test('a request forwarded by a proxy on this machine needs the token', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    expect(await read(forwarded)).toBe(403);
    expect(await read({ ...forwarded, authorization: 'Bearer a-wrong-token-of-somebody' })).toBe(403);
    expect(await read({ ...forwarded, authorization: `Bearer ${token}` })).toBe(200);
  });

  test('the refusal has the error shape', async () => {
    const answer = await call(house, 'GET', '/metrics', undefined, { forwarded: 'for=203.0.113.7' });
    expect([answer.status, answer.body.key]).toEqual([403, 'metrics.forbidden']);
  });
});

test('a caller on another machine needs the token', () => {
  const ip = '192.168.1.7';
  expect(metricsReaders({ metricsToken: undefined })({ ip, headers: {} })).toBe(false);
  const mayRead = metricsReaders({ metricsToken: token });
  expect(mayRead({ ip, headers: {} })).toBe(false);
  expect(mayRead({ ip, headers: { authorization: `Bearer ${token}` } })).toBe(true);
});

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('%s counts as this machine', (ip) => {
  expect(metricsReaders({ metricsToken: undefined })({ ip, headers: {} })).toBe(true);
});
