import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { oauthRegistration, useServers } from '../../../test/worlds/use-servers.ts';
import { openGraph } from './graph.ts';

const { listen } = useServers();

it.each([
  ['invalid_grant', 50_173, 400, 'unauthorized', /revoked: connect the mailbox again/],
  ['invalid_grant', 700_082, 400, 'unauthorized', /expired/],
  ['invalid_grant', 1, 400, 'unauthorized', /connect it again \(invalid_grant\)/],
  ['interaction_required', 50_076, 400, 'unauthorized', /second factor/],
  ['invalid_client', 7_000_222, 401, 'misconfigured', /secret has expired.*AADSTS7000222/],
  ['invalid_client', 7_000_215, 401, 'misconfigured', /secret is wrong/],
  ['unauthorized_client', 700_016, 400, 'unauthorized', /removed from the mailbox's organisation: connect/],
  ['unauthorized_client', 7_000_112, 400, 'forbidden', /disabled in the mailbox's organisation/],
  ['invalid_resource', 500_011, 400, 'forbidden', /organisation has no Microsoft Graph/],
  ['invalid_grant', 70_000, 400, 'unauthorized', /Microsoft has restricted the account/],
  ['invalid_grant', 50_105, 400, 'forbidden', /assign it to the mailbox's account/],
  ['invalid_grant', 50_034, 400, 'unauthorized', /not in its organisation any more/],
  ['invalid_grant', 500_341, 400, 'unauthorized', /account was deleted/],
  ['interaction_required', 53_000, 400, 'unauthorized', /conditional access.*manages/],
  ['interaction_required', 53_003, 400, 'unauthorized', /conditional access.*refuses/],
  ['invalid_grant', 65_001, 400, 'unauthorized', /Nobody has consented/],
  ['consent_required', 90_094, 400, 'unauthorized', /administrator of the organisation has to approve/],
  ['temporarily_unavailable', 90_033, 503, 'unavailable', /just now/],
  ['<script>', 0, 429, 'throttled', /\(429\)/],
])('tokens are refused with %s, AADSTS%i', async (error, number, status, kind, sentence) => {
  const tokenUrl = await listen((_request, response) => {
    const error_description = `AADSTS${number}: said to ann@example.com`;
    response
      .writeHead(status, { 'retry-after': '7' })
      .end(JSON.stringify({ error, error_description, error_codes: [number] }));
  });
  const graph = openGraph({ ...oauthRegistration, apiUrl: 'https://graph.example.com/v1.0', tokenUrl });
  const fault = await graph.refresh('the refresh token').catch((thrown: unknown) => thrown);
  expect(fault).toMatchObject({ kind, message: expect.stringMatching(sentence), retryAfterMs: 7_000 });
  expect(String(fault)).not.toMatch(/ann@|the refresh token|of kontor|script/);
});

it('tokens with fewer scopes than needed are refused', async () => {
  const tokenUrl = await listen((_request, response) =>
    response.end(JSON.stringify({ access_token: 'x', expires_in: 3599, scope: 'User.Read Mail.Read Mail.Send' })),
  );
  const graph = openGraph({ ...oauthRegistration, apiUrl: 'https://graph.example.com/v1.0', tokenUrl });
  await expect(graph.refresh('x')).rejects.toMatchObject({ kind: 'unauthorized', code: 'insufficient_scope' });
});

it.each([
  'https://graph.microsoft.com',
  'https://graph.microsoft.us',
  'https://dod-graph.microsoft.us',
  'https://microsoftgraph.chinacloudapi.cn',
])('tokens are requested for the cloud of the configured API: %s', async (origin) => {
  const forms: URLSearchParams[] = [];
  const tokenUrl = await listen(async (request, response) => {
    forms.push(new URLSearchParams(await text(request)));
    response.end(JSON.stringify({ access_token: 'x', expires_in: 3599 }));
  });
  const graph = openGraph({ ...oauthRegistration, apiUrl: `${origin}/v1.0`, tokenUrl });
  await graph.refresh('x');
  const asked = new URL(graph.consentUrl({ redirectUri: 'https://x', state: '', codeChallenge: '' })).searchParams;
  for (const scope of [forms[0]?.get('scope'), asked.get('scope')])
    expect(scope?.split(' ')).toEqual(
      expect.arrayContaining([`${origin}/Mail.ReadWrite`, `${origin}/Mail.Send`, `${origin}/User.Read`]),
    );
});

it('consent begins with the choice of an account, unless a hint names it', () => {
  const graph = openGraph({ ...oauthRegistration, apiUrl: 'https://graph.example.com/v1.0' });
  const consent = { redirectUri: 'https://kontor.example.com/back', state: 's', codeChallenge: 'c' };
  const url = new URL(graph.consentUrl(consent));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'kontor',
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: consent.redirectUri,
    scope:
      'offline_access https://graph.example.com/Mail.ReadWrite https://graph.example.com/Mail.Send ' +
      'https://graph.example.com/User.Read',
    state: 's',
    code_challenge: 'c',
    code_challenge_method: 'S256',
    prompt: 'select_account',
  });
  const hinted = new URL(graph.consentUrl({ ...consent, loginHint: 'support@example.com' })).searchParams;
  expect([hinted.get('login_hint'), hinted.get('prompt')]).toEqual(['support@example.com', null]);
});
