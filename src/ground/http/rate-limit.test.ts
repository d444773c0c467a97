import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildHouse, type House } from '../../../test/harness/harness.ts';
import { call, makeOwner } from '../../../test/worlds/factories.ts';

let house: House & { close(): Promise<void> };
beforeEach(async () => {
  house = await buildHouse({ RATE_LIMIT_PER_MINUTE: '5', TRUST_PROXY: '127.0.0.1' });
});
afterEach(async () => {
  await house.close();
});

async function statuses(count: number, ask: (time: number) => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let time = 0; time < count; time++) seen.push((await ask(time)).status);
  return seen;
}

test('every answer says how many requests are left, and a refusal says how long to wait', async () => {
  const owner = await makeOwner(house);
  const first = await owner.call('GET', '/tickets');
  expect(first.headers.get('ratelimit')).toBe('"caller";r=4;t=60');
  expect(first.headers.get('ratelimit-policy')).toBe('"caller";q=5;w=60');
  expect(first.headers.get('retry-after')).toBeNull();

  expect(await statuses(4, () => owner.call('GET', '/tickets'))).toEqual([200, 200, 200, 200]);
  const { status, headers, body } = await owner.call('GET', '/tickets');
  expect({ status, body }).toMatchObject({ status: 429, body: { key: 'rate_limited', params: {} } });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('ratelimit')).toMatch(/^"caller";r=0;t=\d+$/);
  expect(headers.get('ratelimit-policy')).toBe('"caller";q=5;w=60');
  expect(headers.get('x-correlation-id')).toBeTruthy();
});

test('two people behind one address do not share a limit', async () => {
  const [one, other] = [await makeOwner(house), await makeOwner(house)];
  expect(await statuses(6, () => one.call('GET', '/tickets'))).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await other.call('GET', '/tickets')).status).toBe(200);
});

test('an API key counts by itself once it was accepted; made-up keys count against the address', async () => {
  const owner = await makeOwner(house);
  const { secret } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'agent' })).body;
  const path = `/v1/workspaces/${owner.workspaceId}/tickets`;
  const ask = (bearer: string) =>
    call(house, 'GET', path, undefined, { authorization: `Bearer ${bearer}`, 'x-workspace-id': owner.workspaceId });
  expect(await statuses(5, (time) => ask(time === 0 ? secret : `kontor_${time}`))).toEqual([200, 401, 401, 401, 401]);
  expect((await ask('kontor_more')).status).toBe(429);
  expect(await statuses(6, () => ask(secret))).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await owner.call('GET', '/tickets')).status).toBe(200);
});

test('made-up tokens count against the address, on public routes and behind the gate', async () => {
  const asMadeUp = (path: string) => (time: number) =>
    call(house, 'GET', path, undefined, { authorization: `Bearer made-up-${time}` });
  expect(await statuses(3, asMadeUp('/v1/openapi.json'))).toEqual([200, 200, 200]);
  const owner = await makeOwner(house);
  expect(await statuses(3, asMadeUp(`/v1/workspaces/${owner.workspaceId}/tickets`))).toEqual([401, 401, 429]);
});

test('a valid token buys no second budget on public routes', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => makeOwner(house)));
  const ask = (time: number) =>
    call(house, 'GET', '/v1/openapi.json', undefined, { authorization: `Bearer ${people[time]?.token}` });
  expect(await statuses(6, ask)).toEqual([200, 200, 200, 200, 200, 429]);
});

test('requests to unknown routes count too', async () => {
  expect(await statuses(6, (time) => call(house, 'GET', `/nothing-${time}`))).toEqual([404, 404, 404, 404, 404, 429]);
});

test('behind a trusted proxy the forwarded address counts, and of IPv6 its /64', async () => {
  const from = (address: string) => call(house, 'GET', '/v1/openapi.json', undefined, { 'x-forwarded-for': address });
  expect(await statuses(6, (time) => from(`2001:db8:0:1::${time}`))).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await from('2001:db8:0:2::1')).status).toBe(200);
  expect((await from('192.0.2.7')).status).toBe(200);
});
