import { existsSync, statfsSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { isLoopback } from '../lib/networks.ts';
import { StartError } from '../lib/start-error.ts';
import { type IdentityProvider, readIdentityProviders } from './identity-settings.ts';
import { hasSmtp, type MailSettings, readMailSettings } from './mail-settings.ts';
import { type MailboxSettings, readMailboxSettings } from './mailbox-settings.ts';
import { type PushSettings, readPushSettings } from './push-settings.ts';
import { readSecrets, type Secrets } from './secret-settings.ts';
import { type SettingsReader, settingsReader } from './settings-reader.ts';
import { readStorage, type StorageSettings } from './storage-settings.ts';
import { readTelemetry, type TelemetryExport } from './telemetry-settings.ts';
import { readWebhookSettings, type WebhookSettings } from './webhook-settings.ts';

export type Config = MailSettings &
  MailboxSettings &
  WebhookSettings &
  PushSettings &
  Secrets & {
    port: number;
    host: string;
    /** The number of processes that serve the port. */
    processCount: number;
    /** The beginning of links in mails, without a trailing slash. */
    publicUrl: string;
    dataDir: string;
    /** `embedded` runs our own PostgreSQL under `dataDir`. */
    database: { kind: 'embedded' } | { kind: 'external'; url: string; directUrl: string };
    roles: { api: boolean; worker: boolean };
    logLevel: string;
    /** The least strength of a new password, 0 to 4. Undefined: the service only advises. */
    passwordMinScore: number | undefined;
    isEmailVerificationRequired: boolean;
    /** `first-run`: open until the first workspace exists, then by invitation only. */
    registration: 'open' | 'first-run' | 'invite';
    /** How many workspaces an account may create within a day; 0 = unlimited. */
    workspacesPerDay: number;
    identityProviders: IdentityProvider[];
    corsOrigins: string[];
    storage: StorageSettings;
    attachmentBytesMax: number;
    /** The files of one import together. */
    importBytesMax: number;
    /** The storage limit of one workspace; 0 = unlimited. */
    storageBytesMax: number;
    /** The limit of requests per caller and minute; 0 = unlimited. */
    rateLimitPerMinute: number;
    /** The bearer token for callers from other machines to `/metrics`. Undefined: such callers are refused. */
    metricsToken: string | undefined;
    /** Undefined: no traces and metrics are sent. */
    telemetry: TelemetryExport | undefined;
    /** Proxies whose `X-Forwarded-For` is trusted. */
    trustProxy: string[];
    /** Only in `npm run demo`: accounts that anybody may use, and their customer's page. */
    demo?: Demo;
    /** Warnings to log at start. */
    warnings: string[];
  };

/** The password may be public, because the demo listens only on its own machine. */
export type Demo = {
  people: { name: string; email: string; role: string }[];
  password: string;
  customerPage: string;
};

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Reads the settings of `docs/settings.md` from the environment.
 * Throws a `StartError` that lists all faults at once.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const read = settingsReader(environment);
  const port = read.integer('PORT', 3000, 0, 65_535);
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? `http://localhost:${port}`;
  const dataDir = readDataDir(read);
  const database = readDatabase(read);
  const mailSettings = readMailSettings(read, publicUrl);
  const secretsIn = readSecrets(read, { isShared: database.kind === 'external' });
  const config: Omit<Config, keyof Secrets> = {
    ...mailSettings,
    ...readMailboxSettings(read, publicUrl),
    ...readWebhookSettings(read),
    ...readPushSettings(read, { publicUrl, email: mailSettings.mailFrom.email }),
    port,
    host: read.text('HOST') ?? hostFor(publicUrl),
    processCount: read.integer('WEB_CONCURRENCY', 1, 1, 16),
    publicUrl,
    dataDir,
    database,
    roles: readRoles(read),
    logLevel: read.choice('LOG_LEVEL', logLevels) ?? 'info',
    isEmailVerificationRequired: isVerificationRequired(read, mailSettings),
    passwordMinScore: read.text('PASSWORD_MIN_SCORE') ? read.integer('PASSWORD_MIN_SCORE', 0, 0, 4) : undefined,
    registration: read.choice('REGISTRATION', ['open', 'first-run', 'invite']) ?? 'open',
    workspacesPerDay: read.integer('WORKSPACES_PER_DAY_AND_ACCOUNT', 10, 0, 1_000),
    identityProviders: readIdentityProviders(read),
    corsOrigins: readOrigins(read),
    storage: readStorage(read, dataDir),
    attachmentBytesMax: read.integer('ATTACHMENT_MAX_BYTES', 25 * 1024 * 1024, 1, 1024 ** 3),
    importBytesMax: read.integer('IMPORT_MAX_BYTES', 4 * 1024 ** 3, 1, 1024 ** 4),
    storageBytesMax: read.integer('STORAGE_BYTES_PER_WORKSPACE', 0, 0, 1024 ** 5),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 120_000, 0, 1_000_000_000),
    metricsToken: readMetricsToken(read),
    telemetry: readTelemetry(read),
    trustProxy: readProxies(read),
    warnings: read.warnings,
  };
  if (database.kind === 'external' && read.text('STORAGE_URL') === undefined) {
    read.warnings.push(
      'STORAGE_URL is not set: files are kept in DATA_DIR, which processes on other hosts of this database cannot see',
    );
  }
  if (config.roles.api && config.registration === 'open' && !isLoopback(config.host)) {
    read.warnings.push(
      'REGISTRATION is open: anybody who reaches this address can create an account and a workspace; ' +
        'set it to first-run or invite to close it',
    );
  }
  read.warnings.push(...read.misspelt());
  if (read.faults.length > 0)
    throw new StartError(`The settings have faults:\n${read.faults.map((fault) => `  ${fault}`).join('\n')}`);
  // Assigned to the secrets, not spread: a copy would make them at once.
  return Object.assign(secretsIn(dataDir), config);
}

/** The service listens beyond this machine only when `PUBLIC_URL` names another host. */
function hostFor(publicUrl: string): string {
  return isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')) ? '127.0.0.1' : '0.0.0.0';
}

const metricsTokenCharsMin = 16;

function readMetricsToken(read: SettingsReader): string | undefined {
  const token = read.text('METRICS_TOKEN');
  if (token !== undefined && token.length < metricsTokenCharsMin)
    read.faults.push(`METRICS_TOKEN: shorter than ${metricsTokenCharsMin} characters`);
  return token;
}

function readDataDir(read: SettingsReader): string {
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  if (isInProc(dataDir))
    read.faults.push(`DATA_DIR: no folder can be made in ${dataDir}, which lies in the system's /proc`);
  return dataDir;
}

const procMagic = 0x9fa0;

/** Node's recursive mkdir never ends in /proc: it reads the ENOENT of procfs as a missing parent. */
function isInProc(path: string): boolean {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return process.platform === 'linux' && statfsSync(existing).type === procMagic;
}

function readDatabase(read: SettingsReader): Config['database'] {
  const url = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const directUrl = read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']);
  if (directUrl !== undefined && url === undefined) read.faults.push('DATABASE_DIRECT_URL: needs DATABASE_URL as well');
  return url === undefined ? { kind: 'embedded' } : { kind: 'external', url, directUrl: directUrl ?? url };
}

function readRoles(read: SettingsReader): Config['roles'] {
  const roles = read.list('ROLES', ['api', 'worker']);
  for (const role of roles)
    if (role !== 'api' && role !== 'worker') read.faults.push(`ROLES: "${role}" is neither api nor worker`);
  return { api: roles.includes('api'), worker: roles.includes('worker') };
}

function isVerificationRequired(read: SettingsReader, settings: MailSettings): boolean {
  const verification = read.choice('EMAIL_VERIFICATION', ['required', 'off']);
  if (verification !== undefined) return verification === 'required';
  if (hasSmtp(settings)) return true;
  read.warnings.push('EMAIL_VERIFICATION is off, because SMTP_URL is not set: anybody can register with any address');
  return false;
}

function readOrigins(read: SettingsReader): string[] {
  const origins = read.list('CORS_ORIGINS', []);
  for (const origin of origins)
    if (!isOrigin(origin)) read.faults.push(`CORS_ORIGINS: "${origin}" is not an origin, such as https://app.example`);
  return origins;
}

/** An origin must be as browsers send it, because the comparison is exact: no path, trailing slash or default port. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // `URL` computes no origin for the schemes of apps, such as capacitor://localhost.
  return origin === 'null' ? /^(?!file:|data:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:-]+$/.test(text) : origin === text;
}

function readProxies(read: SettingsReader): string[] {
  const proxies = read.list('TRUST_PROXY', []);
  for (const proxy of proxies)
    if (isIP(proxy.split('/')[0] ?? '') === 0)
      read.faults.push(`TRUST_PROXY: "${proxy}" is not an IP address or network`);
  return proxies;
}
