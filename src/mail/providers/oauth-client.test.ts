import { expect, it } from 'vitest';
import { oauthRegistration, useServers } from '../../../test/worlds/use-servers.ts';
import { openOAuthClient } from './oauth-client.ts';

const { listen } = useServers();

/** Opens a client whose provider gives this answer to every request. */
async function openClient(answer: object | string, status = 200) {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const url = await listen((_request, response) => response.writeHead(status).end(body));
  return openOAuthClient({
    provider: 'The provider',
    tokenUrl: url,
    authorizeUrl: url,
    client: oauthRegistration.client,
    scopes: ['mail'],
    isEnough: () => true,
    consentParameters: {},
    refreshNamesScopes: false,
    signal: new AbortController().signal,
  });
}

const dayMs = 24 * 3_600_000;

it.each([3_600, '3600', 1e12, 1e300, 'Infinity'])(
  'tokens with a lifetime of %s seconds can be stored',
  async (expires_in) => {
    const { refresh } = await openClient({ access_token: 'x', expires_in, refresh_token: 'the next one' });
    const { expiresInSeconds, refreshToken } = await refresh('x');
    expect(refreshToken).toBe('the next one');
    expect(expiresInSeconds).toBeGreaterThanOrEqual(3_600);
    expect(expiresInSeconds * 1000).toBeLessThan(100 * dayMs);
  },
);

it.each([
  [403, '<html>Sorry</html>', 'unavailable', 'denial'],
  [404, '', 'unavailable', 'denial'],
  [401, '', 'unavailable', 'denial'],
  [400, { error: 'unheard_of' }, 'unavailable', 'denial'],
  [302, '', 'unavailable', 'denial'],
  [403, { error: 'rate_limit_exceeded' }, 'throttled', 'none'],
  [503, { error: 'invalid_grant' }, 'unavailable', 'none'],
  [400, { error: 'invalid_grant' }, 'unauthorized', 'final'],
  [401, { error: 'invalid_client' }, 'misconfigured', 'final'],
] as const)('a refusal with %i %j is %s, as evidence %s', async (status, answer, kind, evidence) => {
  const { refresh } = await openClient(answer, status);
  await expect(refresh('x')).rejects.toMatchObject({ kind, evidence });
});

it.each([
  ['no life', { access_token: 'secret', expires_in: 0 }],
  ['a life that is over', { access_token: 'secret', expires_in: -1 }],
  ['a life that is no number', { access_token: 'secret', expires_in: 'soon' }],
  ['no token', { access_token: '', expires_in: 3_600 }],
  ['two lines', { access_token: 'secret\r\nx: y', expires_in: 3_600 }],
  ['another alphabet', { access_token: 'secret–', expires_in: 3_600 }],
])('tokens with %s are refused, and not quoted', async (_what, tokens) => {
  const { refresh } = await openClient(tokens);
  const fault = await refresh('x').catch((thrown: unknown) => thrown);
  expect(fault).toMatchObject({ kind: 'unavailable', code: 'no_token' });
  expect(String(fault)).not.toContain('secret');
});
