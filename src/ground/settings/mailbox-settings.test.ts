import { expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { readConfig } from './config.ts';

const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: scratchFolder(), ...settings });

test('the defaults name the real providers, without clients and warnings', () => {
  const { microsoft, gmail, warnings } = read({ PUBLIC_URL: 'https://desk.example/' });
  expect(microsoft).toEqual({
    apiUrl: 'https://graph.microsoft.com/v1.0',
    tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    authorizeUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    client: undefined,
    webhookSecrets: [],
  });
  expect(gmail).toEqual({
    apiUrl: 'https://gmail.googleapis.com',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    client: undefined,
    topic: undefined,
    push: {
      audience: 'https://desk.example/v1/webhooks/mail-b',
      issuer: 'https://accounts.google.com',
      jwksUri: 'https://www.googleapis.com/oauth2/v3/certs',
      serviceAccount: undefined,
    },
  });
  // Nobody has set a provider up.
  expect(warnings.join()).not.toMatch(/MAIL_[AB]_/);
});

test('a provider that is set up is warned of where anybody may call for it', () => {
  const applications = {
    MAIL_A_CLIENT_ID: 'a',
    MAIL_A_CLIENT_SECRET: 'a',
    MAIL_B_CLIENT_ID: 'b',
    MAIL_B_CLIENT_SECRET: 'b',
  };
  expect(read(applications).warnings.join()).toMatch(
    /MAIL_A_WEBHOOK_SECRET is not set.*MAIL_B_PUSH_SERVICE_ACCOUNT is not set/,
  );
});

test('settings name other providers, without TLS on this machine, and a previous secret', () => {
  const { microsoft, gmail, warnings } = read({
    MAIL_A_API_URL: 'http://127.0.0.1:9110/v1.0/',
    MAIL_A_CLIENT_ID: 'id',
    MAIL_A_CLIENT_SECRET: 'secret',
    MAIL_A_WEBHOOK_SECRET: 's'.repeat(128),
    MAIL_A_WEBHOOK_SECRET_PREVIOUS: 'before',
    MAIL_B_TOPIC: 'projects/p/topics/t',
    MAIL_B_PUSH_SERVICE_ACCOUNT: 'push@p.iam.gserviceaccount.com',
    MAIL_B_PUSH_AUDIENCE: 'https://elsewhere.example/push',
  });
  expect(microsoft).toMatchObject({
    apiUrl: 'http://127.0.0.1:9110/v1.0',
    client: { id: 'id', secret: 'secret' },
    webhookSecrets: ['s'.repeat(128), 'before'],
  });
  expect(gmail).toMatchObject({ topic: 'projects/p/topics/t', push: { audience: 'https://elsewhere.example/push' } });
  expect(warnings.join()).not.toMatch(/MAIL_[AB]_/);
});

test.each([
  [{ MAIL_A_API_URL: 'http://graph.example/v1.0' }, 'MAIL_A_API_URL'],
  [{ MAIL_A_TOKEN_URL: 'nope' }, 'MAIL_A_TOKEN_URL'],
  [{ MAIL_B_AUTHORIZE_URL: 'javascript:alert(1)' }, 'MAIL_B_AUTHORIZE_URL'],
  [{ MAIL_B_PUSH_JWKS_URI: 'http://keys.example' }, 'MAIL_B_PUSH_JWKS_URI'],
  [{ MAIL_A_CLIENT_ID: 'id' }, 'MAIL_A_CLIENT_ID and MAIL_A_CLIENT_SECRET'],
  [{ MAIL_B_CLIENT_SECRET: 'hidden' }, 'MAIL_B_CLIENT_ID and MAIL_B_CLIENT_SECRET'],
  [{ MAIL_A_WEBHOOK_SECRET: 's'.repeat(129) }, 'MAIL_A_WEBHOOK_SECRET: at most 128 characters'],
  [{ MAIL_A_WEBHOOK_SECRET_PREVIOUS: 'hidden' }, 'MAIL_A_WEBHOOK_SECRET_PREVIOUS: needs MAIL_A_WEBHOOK_SECRET'],
  [{ MAIL_B_TOPIC: 'mail' }, 'MAIL_B_TOPIC: "mail" is not of the form'],
])('%o is reported as a fault, without secrets', (settings, fault) => {
  expect(() => read(settings)).toThrow(fault);
  expect(() => read(settings)).not.toThrow(/hidden|sss/);
});
