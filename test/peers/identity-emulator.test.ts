import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { openIdentityEmulator } from '../../emulators/identity.ts';

const providers = await openIdentityEmulator();
afterAll(() => providers.close());

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${providers.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as any };
}
const kids = async () => (await ask('GET', '/oauth2/v3/certs')).body.keys.map(({ kid }: { kid: string }) => kid);
const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());

test('the emulator gives tokens with any claims and header over HTTP', async () => {
  const order = { family: 'google', claims: { sub: 'anybody', email: null }, header: { alg: 'none' } };
  const { idToken } = (await ask('POST', '/control/tokens', order)).body;
  expect(partOf(idToken, 0)).toMatchObject({ alg: 'none', kid: expect.any(String) });
  expect(partOf(idToken, 1)).toMatchObject({ iss: providers.url, sub: 'anybody', email: null });
});

test('the emulator rotates its keys, and publishes others, on command', async () => {
  const [before] = await kids();
  const { kid } = (await ask('POST', '/control/rotate', { family: 'google' })).body;
  expect(await kids()).toEqual([kid, before]);
  await ask('POST', '/control/rotate', { family: 'google', keepsOld: false });
  expect(await kids()).toHaveLength(1);
  await ask('PUT', '/control/keys/google', { keys: [{ kid: 'mine' }] });
  expect(await kids()).toEqual(['mine']);
  await ask('DELETE', '/control/keys/google');
  expect(await kids()).not.toContain('mine');
});

test('the emulator fails on command, and lists the requests that it got', async () => {
  await ask('DELETE', '/control/requests');
  await ask('PUT', '/control/faults/keys', { kind: 'down' });
  expect((await ask('GET', '/oauth2/v3/certs')).status).toBe(503);
  await ask('PUT', '/control/faults/keys', { kind: 'slow', delayMs: 1 });
  expect((await ask('GET', '/oauth2/v3/certs')).status).toBe(200);
  await ask('DELETE', '/control/faults/keys');
  expect((await ask('GET', '/control/requests')).body.requests).toEqual(['/oauth2/v3/certs', '/oauth2/v3/certs']);
});

test('the emulator is Entra for every tenant, and serves a template for all tenants', async () => {
  const issuerOf = async (tenant: string) =>
    (await ask('GET', `/${tenant}/v2.0/.well-known/openid-configuration`)).body.issuer;
  expect(await issuerOf('common')).toBe(providers.entraIssuer('{tenantid}'));
  expect(await issuerOf('some-tenant')).toBe(providers.entraIssuer('some-tenant'));
  const [key] = (await ask('GET', '/common/discovery/v2.0/keys')).body.keys;
  expect(key.issuer).toBe(providers.entraIssuer());
});

test('the emulator runs on its own, and prints the settings that trust it', async () => {
  const emulator = spawn(process.execPath, [join(import.meta.dirname, '../../emulators/identity.ts'), '0']);
  const [line] = await once(createInterface(emulator.stdout), 'line');
  expect(line).toMatch(/^OAUTH_A_CLIENT_ID=client-of-kontor OAUTH_A_ISSUER=http:\/\/127\.0\.0\.1:\d+$/);
  emulator.kill();
  await once(emulator, 'exit');
});
