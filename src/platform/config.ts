import { existsSync, statfsSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../lib/start-error.ts';
import { type IdentityProvider, readIdentityProviders } from './identity-settings.ts';
import { keptSecret, secretBytesMin } from './kept-secret.ts';

export type Config = {
  port: number;
  host: string;
  /** Without a trailing slash; what links in mails begin with. */
  publicUrl: string;
  dataDir: string;
  /** Where PostgreSQL is, or that we bring our own under `dataDir`. */
  database: { kind: 'embedded' } | { kind: 'external'; url: string; directUrl: string };
  roles: { api: boolean; worker: boolean };
  logLevel: string;
  /** Signs access tokens. */
  authSecret: Uint8Array;
  /** Seal what is kept secret in tables: the first seals, all of them open. */
  encryptionKeys: Uint8Array[];
  /** How hard a new password must be to guess, 0 to 4; undefined = we only advise. */
  passwordMinScore: number | undefined;
  isEmailVerificationRequired: boolean;
  registration: 'open' | 'invite';
  identityProviders: IdentityProvider[];
  corsOrigins: string[];
  mail: { kind: 'outbox' } | { kind: 'smtp'; url: string };
  /** Who our mail comes from. */
  mailFrom: { name: string | null; email: string };
  /** Where mail comes in by SMTP; undefined = nowhere. */
  smtpListen: SmtpListen | undefined;
  storage: { kind: 'disk'; root: string } | S3Storage;
  attachmentBytesMax: number;
  /** Requests that one caller may make a minute; 0 = unlimited. */
  rateLimitPerMinute: number;
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustProxy: string[];
  /** Sentences for the log at start. */
  warnings: string[];
};

export type SmtpListen = {
  host: string;
  port: number;
  /** Paths of PEM files for STARTTLS; without them a certificate that nobody vouches for. */
  tls: { certPath: string; keyPath: string } | undefined;
};

export type S3Storage = {
  kind: 's3';
  bucket: string;
  /** Without a slash at its ends; empty for none. */
  prefix: string;
  /** Unset: Amazon's own for the region. */
  endpoint: string | undefined;
  region: string;
};

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Reads the settings of `docs/settings.md` from the environment.
 * Throws a `StartError` that tells of every fault at once.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const warnings: string[] = [];
  const read = reader(environment, faults);

  const port = read.integer('PORT', 3000, 0, 65_535);
  const host = read.text('HOST') ?? '0.0.0.0';
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? `http://localhost:${port}`;
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const directUrl = read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']);
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  const roles = read.list('ROLES', ['api', 'worker']);
  for (const role of roles)
    if (role !== 'api' && role !== 'worker') faults.push(`ROLES: "${role}" is neither api nor worker`);
  const verification = read.choice('EMAIL_VERIFICATION', ['required', 'off']);
  if (verification === undefined && smtpUrl === undefined) {
    warnings.push(
      'EMAIL_VERIFICATION is off, because SMTP_URL is not set: whoever registers is believed to own the address',
    );
  }
  if (databaseUrl !== undefined && read.text('STORAGE_URL') === undefined) {
    warnings.push(
      'STORAGE_URL is not set: files are kept in DATA_DIR, which processes on other hosts of the same database do not see',
    );
  }
  const authSecret = read.text('AUTH_SECRET');
  if (authSecret !== undefined && Buffer.byteLength(authSecret) < secretBytesMin)
    faults.push(`AUTH_SECRET: at least ${secretBytesMin} bytes are needed`);
  if (authSecret === undefined && databaseUrl !== undefined) faults.push('AUTH_SECRET: required with DATABASE_URL');
  const encryptionKeys = read.list('ENCRYPTION_KEY', []);
  if (encryptionKeys.some((key) => Buffer.byteLength(key) < secretBytesMin))
    faults.push(`ENCRYPTION_KEY: at least ${secretBytesMin} bytes are needed, of each`);
  if (encryptionKeys.length === 0 && databaseUrl !== undefined)
    faults.push('ENCRYPTION_KEY: required with DATABASE_URL');
  if (directUrl !== undefined && databaseUrl === undefined)
    faults.push('DATABASE_DIRECT_URL: needs DATABASE_URL beside it');

  const config: Omit<Config, 'authSecret' | 'encryptionKeys'> = {
    port,
    host,
    publicUrl,
    dataDir,
    database: databaseUrl
      ? { kind: 'external', url: databaseUrl, directUrl: directUrl ?? databaseUrl }
      : { kind: 'embedded' },
    roles: { api: roles.includes('api'), worker: roles.includes('worker') },
    logLevel: read.choice('LOG_LEVEL', logLevels) ?? 'info',
    isEmailVerificationRequired: verification === undefined ? smtpUrl !== undefined : verification === 'required',
    passwordMinScore: read.text('PASSWORD_MIN_SCORE') ? read.integer('PASSWORD_MIN_SCORE', 0, 0, 4) : undefined,
    registration: read.choice('REGISTRATION', ['open', 'invite']) ?? 'open',
    identityProviders: readIdentityProviders(read, faults, warnings),
    corsOrigins: read.list('CORS_ORIGINS', []),
    mail: smtpUrl ? { kind: 'smtp', url: smtpUrl } : { kind: 'outbox' },
    mailFrom: read.mailAddress('MAIL_FROM') ?? { name: 'Kontor', email: `kontor@${mailHost(publicUrl)}` },
    smtpListen: smtpListen(read.text('SMTP_LISTEN'), faults),
    storage: storage(read.url('STORAGE_URL', ['s3:', 'file:']), dataDir, faults),
    attachmentBytesMax: read.integer('ATTACHMENT_MAX_BYTES', 25 * 1024 * 1024, 1, 1024 ** 3),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 120_000, 0, 1_000_000_000),
    trustProxy: read.list('TRUST_PROXY', []),
    warnings,
  };
  for (const proxy of config.trustProxy) {
    if (isIP(proxy.split('/')[0] ?? '') === 0) faults.push(`TRUST_PROXY: "${proxy}" is no IP address or network`);
  }
  if (isInProc(dataDir)) faults.push(`DATA_DIR: no folder can be made in ${dataDir}, which lies in the system's /proc`);
  for (const origin of config.corsOrigins) {
    if (!isOrigin(origin)) faults.push(`CORS_ORIGINS: "${origin}" is no origin, such as https://app.example`);
  }
  if (faults.length > 0)
    throw new StartError(`The settings have faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return {
    ...config,
    authSecret: authSecret ? Buffer.from(authSecret) : keptSecret(dataDir, 'auth-secret'),
    encryptionKeys:
      encryptionKeys.length > 0
        ? encryptionKeys.map((key) => Buffer.from(key))
        : [keptSecret(dataDir, 'encryption-key')],
  };
}

/** `smtp://host:port?cert=<path>&key=<path>`, of which the port alone is needed: `25`, `127.0.0.1:2525`. */
function smtpListen(text: string | undefined, faults: string[]): SmtpListen | undefined {
  if (text === undefined) return undefined;
  const bare = text.replace(/^smtp:\/\//, '');
  const address = `smtp://${/^\d+(?:\?|$)/.test(bare) ? `0.0.0.0:${bare}` : bare}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const certPath = url?.searchParams.get('cert') ?? undefined;
  const keyPath = url?.searchParams.get('key') ?? undefined;
  const isWhole = url !== undefined && url.hostname !== '' && url.port !== '' && !certPath === !keyPath;
  if (!isWhole) {
    faults.push('SMTP_LISTEN: not a port, host:port, or smtp://host:port?cert=<path>&key=<path>');
    return undefined;
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    tls: certPath !== undefined && keyPath !== undefined ? { certPath, keyPath } : undefined,
  };
}

/** `s3://bucket/prefix?endpoint=<url>&region=<name>`, or a folder as `file:///path`. */
function storage(text: string | undefined, dataDir: string, faults: string[]): Config['storage'] {
  const disk = { kind: 'disk', root: join(dataDir, 'blobs') } as const;
  if (text === undefined) return disk;
  const url = new URL(text);
  if (url.protocol === 'file:') {
    if (/^file:\/\/\/./.test(text)) return { kind: 'disk', root: fileURLToPath(url) };
    faults.push('STORAGE_URL: a folder is named by its whole path, such as file:///var/lib/kontor/blobs');
    return disk;
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) faults.push('STORAGE_URL: no name of a bucket');
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    faults.push('STORAGE_URL: its endpoint is no address that begins with http:// or https://');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
  };
}

const procMagic = 0x9fa0;

/** Node's recursive mkdir never ends there: it takes the ENOENT of procfs for a parent that is missing. */
function isInProc(path: string): boolean {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return process.platform === 'linux' && statfsSync(existing).type === procMagic;
}

/** As browsers send it, since it is compared letter by letter: no path, no slash at the end, no default port. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // Apps have schemes of their own, for which no origin is computed: capacitor://localhost.
  return origin === 'null' ? /^(?!file:|data:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:-]+$/.test(text) : origin === text;
}

function mailHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  // An address needs a dotted host; Gmail replaces Message-IDs without one.
  return host.includes('.') && isIP(host) === 0 ? host : 'kontor.localhost';
}

/** Reads one setting each; an empty value counts as unset. */
export type SettingsReader = ReturnType<typeof reader>;

function reader(environment: Record<string, string | undefined>, faults: string[]) {
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    text,
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= min && number <= max) return number;
      faults.push(`${name}: "${value}" is not a whole number from ${min} to ${max}`);
      return fallback;
    },
    choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
      const value = text(name);
      if (value === undefined || (choices as readonly string[]).includes(value)) return value as Choice | undefined;
      faults.push(`${name}: "${value}" is none of ${choices.join(', ')}`);
      return undefined;
    },
    url(name: string, protocols: string[]): string | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
      // Not the value itself: it may hold a password.
      faults.push(
        `${name}: not an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
      return undefined;
    },
    list: (name: string, fallback: string[]): string[] =>
      text(name)
        ?.split(',')
        .map((item) => item.trim())
        .filter(Boolean) ?? fallback,
    mailAddress(name: string): Config['mailFrom'] | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const parts = /^(?:"?([^<>@"\r\n]*?)"?\s*<([^<>@\s]+@[^<>@\s]+)>|([^<>@\s]+@[^<>@\s]+))$/.exec(value);
      const email = parts?.[2] ?? parts?.[3];
      if (email !== undefined) return { name: parts?.[1] || null, email };
      faults.push(`${name}: "${value}" is no mail address, such as Support <support@example.org>`);
      return undefined;
    },
  };
}
