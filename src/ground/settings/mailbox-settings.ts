import { isSafeAddress } from './identity-settings.ts';
import type { SettingsReader } from './settings-reader.ts';

export type MailboxSettings = {
  microsoft: ProviderSettings & {
    /**
     * New subscriptions get the first secret. Notifications may carry any of them. Without a secret the service answers
     * every caller, but a caller without our clientState can do little.
     */
    webhookSecrets: string[];
  };
  gmail: ProviderSettings & {
    /** `projects/<project>/topics/<topic>`, to which Gmail publishes. */
    topic: string | undefined;
    push: {
      audience: string;
      issuer: string;
      jwksUri: string;
      /** The only account whose tokens are accepted. Undefined: any account of the issuer. */
      serviceAccount: string | undefined;
    };
  };
};

type ProviderSettings = {
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  /** Undefined: mailboxes of this provider cannot be connected. */
  client: { id: string; secret: string } | undefined;
};

/** The path to which providers send browsers back. */
export const mailboxCallbackPath = '/v1/mailboxes/callback';

/** Graph's limit for the clientState of a subscription. */
export const webhookSecretCharactersMax = 128;

export function readMailboxSettings(read: SettingsReader, publicUrl: string): MailboxSettings {
  return {
    microsoft: {
      ...checkedProvider(read, 'MAIL_A', {
        apiUrl: read.text('MAIL_A_API_URL') ?? 'https://graph.microsoft.com/v1.0',
        tokenUrl: read.text('MAIL_A_TOKEN_URL') ?? 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
        authorizeUrl:
          read.text('MAIL_A_AUTHORIZE_URL') ?? 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
        clientId: read.text('MAIL_A_CLIENT_ID'),
        clientSecret: read.text('MAIL_A_CLIENT_SECRET'),
      }),
      webhookSecrets: readWebhookSecrets(read),
    },
    gmail: {
      ...checkedProvider(read, 'MAIL_B', {
        apiUrl: read.text('MAIL_B_API_URL') ?? 'https://gmail.googleapis.com',
        tokenUrl: read.text('MAIL_B_TOKEN_URL') ?? 'https://oauth2.googleapis.com/token',
        authorizeUrl: read.text('MAIL_B_AUTHORIZE_URL') ?? 'https://accounts.google.com/o/oauth2/v2/auth',
        clientId: read.text('MAIL_B_CLIENT_ID'),
        clientSecret: read.text('MAIL_B_CLIENT_SECRET'),
      }),
      topic: readTopic(read),
      push: {
        audience: read.text('MAIL_B_PUSH_AUDIENCE') ?? `${publicUrl}/v1/webhooks/mail-b`,
        issuer: read.text('MAIL_B_PUSH_ISSUER') ?? 'https://accounts.google.com',
        jwksUri: checkedAddress(
          read,
          'MAIL_B_PUSH_JWKS_URI',
          read.text('MAIL_B_PUSH_JWKS_URI') ?? 'https://www.googleapis.com/oauth2/v3/certs',
        ),
        serviceAccount: readServiceAccount(read),
      },
    },
  };
}

type GivenProvider = Omit<ProviderSettings, 'client'> & Record<'clientId' | 'clientSecret', string | undefined>;

function checkedProvider(
  read: SettingsReader,
  prefix: string,
  { apiUrl, tokenUrl, authorizeUrl, clientId: id, clientSecret: secret }: GivenProvider,
): ProviderSettings {
  if ((id === undefined) !== (secret === undefined))
    read.faults.push(`${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET: set both or neither`);
  return {
    apiUrl: checkedAddress(read, `${prefix}_API_URL`, apiUrl).replace(/\/+$/, ''),
    tokenUrl: checkedAddress(read, `${prefix}_TOKEN_URL`, tokenUrl),
    authorizeUrl: checkedAddress(read, `${prefix}_AUTHORIZE_URL`, authorizeUrl),
    client: id === undefined || secret === undefined ? undefined : { id, secret },
  };
}

/** Credentials and mail travel to this address, so it must be encrypted or on this machine. */
function checkedAddress(read: SettingsReader, name: string, address: string): string {
  if (!isSafeAddress(address))
    read.faults.push(`${name}: not an address that begins with https:// (http:// is for this machine only)`);
  return address;
}

function readWebhookSecrets(read: SettingsReader): string[] {
  const secret = read.text('MAIL_A_WEBHOOK_SECRET');
  const previous = read.text('MAIL_A_WEBHOOK_SECRET_PREVIOUS');
  for (const [name, value] of Object.entries({
    MAIL_A_WEBHOOK_SECRET: secret,
    MAIL_A_WEBHOOK_SECRET_PREVIOUS: previous,
  }))
    if ((value?.length ?? 0) > webhookSecretCharactersMax)
      read.faults.push(`${name}: at most ${webhookSecretCharactersMax} characters`);
  if (secret === undefined && previous !== undefined)
    read.faults.push('MAIL_A_WEBHOOK_SECRET_PREVIOUS: needs MAIL_A_WEBHOOK_SECRET as well');
  // Nothing is connected without an application, so there is nothing to warn of.
  if (secret === undefined && read.text('MAIL_A_CLIENT_ID') !== undefined)
    read.warnings.push(
      'MAIL_A_WEBHOOK_SECRET is not set: anybody can make the service read a mailbox of mail-a, once a minute',
    );
  return [secret, previous].filter((value) => value !== undefined);
}

function readTopic(read: SettingsReader): string | undefined {
  const topic = read.text('MAIL_B_TOPIC');
  if (topic !== undefined && !/^projects\/[^/\s]+\/topics\/[^/\s]+$/.test(topic))
    read.faults.push(`MAIL_B_TOPIC: "${topic}" is not of the form projects/<project>/topics/<topic>`);
  return topic;
}

function readServiceAccount(read: SettingsReader): string | undefined {
  const account = read.text('MAIL_B_PUSH_SERVICE_ACCOUNT');
  if (account === undefined && read.text('MAIL_B_CLIENT_ID') !== undefined)
    read.warnings.push(
      'MAIL_B_PUSH_SERVICE_ACCOUNT is not set: pushes of mail-b are accepted from any account of the issuer',
    );
  return account;
}
