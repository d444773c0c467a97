import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityEmulator, openIdentityEmulator } from '../../../../emulators/identity.ts';
import { openLog } from '../../../ground/platform/log.ts';
import { fetchJson } from './fetch-json.ts';
import { type KeySet, type KeySource, openKeySet } from './key-set.ts';

const providers: IdentityEmulator = await openIdentityEmulator();
const log = openLog('silent');
const minute = 60_000;
const hour = 60 * minute;
let nowMs = Date.now();
const clock = { now: () => new Date(nowMs) };

const open = (source: Partial<KeySource> = {}): KeySet =>
  openKeySet({ jwksUri: `${providers.url}/oauth2/v3/certs`, ...source }, { clock, log });
const discovering = (issuer: string, at = issuer): KeySet =>
  openKeySet({ discoveryUrl: `${at}/.well-known/openid-configuration`, issuer }, { clock, log });
const current = () => providers.keysOf('google')[0]?.kid ?? '';
const isKnown = async (keys: KeySet, kid: string) => (await keys.find(kid)).length > 0;
const isOutOfReach = { key: 'unavailable', headers: { 'retry-after': '5' } };

beforeEach(() => {
  providers.requests.length = 0;
  for (const what of ['discovery', 'keys'] as const) providers.fail(what, undefined);
  providers.publish('google', undefined);
});
afterAll(() => providers.close());

describe('keys', () => {
  test('are fetched once for any number of concurrent callers', async () => {
    const keys = open();
    const found = await Promise.all(Array.from({ length: 20 }, () => isKnown(keys, current())));
    expect(found).toEqual(Array(20).fill(true));
    expect(providers.requests).toEqual(['/oauth2/v3/certs']);
  });

  test('are fetched from the address in the discovery document', async () => {
    expect(await isKnown(discovering(providers.url), current())).toBe(true);
    expect(providers.requests).toEqual(['/.well-known/openid-configuration', '/oauth2/v3/certs']);
  });

  test('for all tenants are found through the issuer template, and name their issuer', async () => {
    const keys = discovering(providers.entraIssuer(), providers.entraIssuer('common'));
    const kid = providers.keysOf('entra')[0]?.kid ?? '';
    expect(await keys.find(kid)).toMatchObject([{ issuer: providers.entraIssuer() }]);
  });

  test('are found beside unusable entries of the set', async () => {
    const kid = current();
    providers.publish('google', [
      null,
      7,
      'key',
      { kid },
      ...providers.keysOf('google').map(({ jwk }) => jwk),
    ] as never);
    expect(await isKnown(open(), kid)).toBe(true);
  });

  test('that rotate between two sign-ins are fetched again at once', async () => {
    const keys = open();
    expect(await isKnown(keys, current())).toBe(true);
    const { kid } = providers.rotate('google');
    expect(await Promise.all(Array.from({ length: 20 }, () => isKnown(keys, kid)))).toEqual(Array(20).fill(true));
    expect(providers.requests).toHaveLength(2);
  });

  test('with made-up ids cause one fetch a minute', async () => {
    const keys = open();
    await isKnown(keys, current());
    for (let count = 0; count < 50; count++) expect(await isKnown(keys, `made-up-${count}`)).toBe(false);
    expect(providers.requests).toHaveLength(2);
    nowMs += minute;
    await Promise.all(Array.from({ length: 50 }, (_, count) => isKnown(keys, `made-up-${count}`)));
    expect(providers.requests).toHaveLength(3);
  });

  test('are refreshed hourly, while sign-ins use the cached keys', async () => {
    const keys = open();
    const first = current();
    await isKnown(keys, first);
    nowMs += hour;
    providers.fail('keys', { kind: 'stalled' });
    expect(await isKnown(keys, first)).toBe(true);
    expect(await isKnown(keys, first)).toBe(true);
    expect(providers.requests.length).toBeLessThanOrEqual(2);
    await keys.close();
  });

  test('that the provider withdrew are refused after the next refresh', async () => {
    const keys = open();
    const withdrawn = current();
    expect(await isKnown(keys, withdrawn)).toBe(true);
    const { kid } = providers.rotate('google', { keepsOld: false });
    expect(await isKnown(keys, kid)).toBe(true);
    expect(await isKnown(keys, withdrawn)).toBe(false);
  });
});

describe('an outage', () => {
  test.each(['down', 'broken', 'garbage', 'huge', 'redirect'] as const)(
    'of kind %s makes keys unavailable until the provider recovers',
    async (kind) => {
      const keys = open();
      providers.fail('keys', { kind, to: '/.well-known/openid-configuration' });
      await expect(keys.find(current())).rejects.toMatchObject(isOutOfReach);
      providers.fail('keys', undefined);
      nowMs += 1_000;
      expect(await isKnown(keys, current())).toBe(true);
    },
  );

  test('does not make every sign-in fetch', async () => {
    const keys = open();
    providers.fail('keys', { kind: 'down' });
    for (let count = 0; count < 20; count++) await expect(keys.find('any')).rejects.toMatchObject(isOutOfReach);
    expect(providers.requests).toHaveLength(1);
  });

  test('leaves the last good keys in use for a day', async () => {
    const keys = open();
    const kid = current();
    await isKnown(keys, kid);
    providers.fail('keys', { kind: 'down' });
    for (let hours = 1; hours < 24; hours++) {
      nowMs += hour;
      expect(await isKnown(keys, kid)).toBe(true);
    }
    nowMs += hour;
    await expect(keys.find(kid)).rejects.toMatchObject(isOutOfReach);
  });

  test('makes an unknown key unavailable rather than invalid', async () => {
    const keys = open();
    await isKnown(keys, current());
    providers.fail('keys', { kind: 'down' });
    await expect(keys.find('new')).rejects.toMatchObject(isOutOfReach);
    await expect(keys.find('new')).rejects.toMatchObject(isOutOfReach);
    expect(providers.requests).toHaveLength(2);
  });

  test('that publishes an empty set withdraws no key', async () => {
    const keys = open();
    const kid = current();
    await isKnown(keys, kid);
    for (const published of [[], [null, 7, 'key', { kid }, { kid, kty: 'RSA', n: '!', e: 'AQAB' }]]) {
      providers.publish('google', published as never);
      nowMs += minute;
      await expect(keys.find('another')).rejects.toMatchObject(isOutOfReach);
      expect(await isKnown(keys, kid)).toBe(true);
    }
  });
});

describe('a published key set', () => {
  test('is ignored when the discovery document names another issuer', async () => {
    const keys = discovering('https://accounts.example', providers.url);
    await expect(keys.find(current())).rejects.toMatchObject(isOutOfReach);
    expect(providers.requests).toEqual(['/.well-known/openid-configuration']);
  });

  test('with thousands of keys is refused', async () => {
    const [pair] = providers.keysOf('google');
    providers.publish(
      'google',
      Array.from({ length: 201 }, (_, count) => ({ ...pair?.jwk, kid: `k${count}` })),
    );
    await expect(open().find('k1')).rejects.toMatchObject(isOutOfReach);
  });

  test('that never ends is abandoned after the timeout', async () => {
    providers.fail('keys', { kind: 'stalled' });
    const stalled = fetchJson(`${providers.url}/oauth2/v3/certs`, {
      signal: new AbortController().signal,
      timeoutMs: 50,
    });
    await expect(stalled).rejects.toThrow();
  });

  test('is no longer awaited when the service stops', async () => {
    providers.fail('keys', { kind: 'stalled' });
    const keys = open();
    const waiting = keys.find('any');
    await keys.close();
    await expect(waiting).rejects.toMatchObject(isOutOfReach);
  });
});
