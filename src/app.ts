import { join } from 'node:path';
import { openDns, type ResolveDns } from '@kontor/mail/dns.ts';
import { type AccessTokens, accessTokens } from './access/accounts/access-token.ts';
import { type IdentityTokens, openIdentityTokens } from './access/accounts/identities/identity-token.ts';
import { openPushTokens, type PushTokens } from './access/accounts/identities/push-token.ts';
import { openPasswords, type PasswordCost, type Passwords } from './access/accounts/password.ts';
import { openPasswordJudge, type PasswordJudge } from './access/accounts/password-strength.ts';
import { type AccessCache, openAccessCache } from './access/auth/access-cache.ts';
import { openSessionCookies, type SessionCookies } from './access/auth/session-cookie.ts';
import { type Holidays, openHolidays } from './automation/calendars/holidays.ts';
import { openReceivers, type Receivers } from './events/integrations/receivers.ts';
import { openPushSender, type PushSender } from './events/notifications/push/push-sender.ts';
import type { Blobs } from './ground/blobs/blobs.ts';
import { openBlobs } from './ground/blobs/open-blobs.ts';
import type { Db } from './ground/database/db.ts';
import { type Live, openLive } from './ground/database/live.ts';
import { openDb } from './ground/database/open-db.ts';
import { sql } from './ground/database/sql.ts';
import { type Clock, systemClock } from './ground/lib/clock.ts';
import type { Logger } from './ground/platform/log.ts';
import { openPublicWeb, type PublicWeb } from './ground/platform/public-web.ts';
import { type ResolveName, reachableAddresses, resolveByDns, UnreachedError } from './ground/platform/reach.ts';
import { openSeal, type Seal } from './ground/platform/seal.ts';
import type { Config } from './ground/settings/config.ts';
import type { Telemetry } from './ground/telemetry/telemetry.ts';
import { type FileUrls, openFileUrls } from './helpdesk/files/file-urls.ts';
import { openRemoteImages, type RemoteImages } from './helpdesk/files/remote-images.ts';
import { openSurveyLinks, type SurveyLinks } from './helpdesk/ratings/survey-links.ts';
import type { Providers } from './mail/provider.ts';
import { openGmail } from './mail/providers/gmail.ts';
import { openGraph } from './mail/providers/graph.ts';
import { openImap } from './mail/providers/imap/imap.ts';
import { openOutbox } from './mail/providers/outbox.ts';
import { providerKeys } from './mail/providers/registry.ts';
import { openSmtp } from './mail/providers/smtp.ts';
import type { MailTransport } from './mail/transport.ts';
import { type MailParser, openMailParser } from './transport/mailflow/mail-parser.ts';
import { openTally, type Tally } from './transport/webhooks/tally.ts';

/** The long-lived parts of the service, opened once at the start and closed once at the end. */
export type App = {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Db;
  live: Live;
  /** The gate's findings about callers, cached until this process revokes access. */
  access: AccessCache;
  blobs: Blobs;
  fileUrls: FileUrls;
  /** Addresses of the pages on which customers answer. */
  surveyLinks: SurveyLinks;
  tokens: AccessTokens;
  cookies: SessionCookies;
  identities: IdentityTokens;
  pushTokens: PushTokens;
  passwords: Passwords;
  passwordJudge: PasswordJudge;
  seal: Seal;
  /** Sends answers. */
  mail: MailTransport;
  /** Sends the service's own mails. They have separate connections, so that they never wait behind answers. */
  systemMail: MailTransport;
  mailParser: MailParser;
  resolveDns: ResolveDns;
  providers: Providers;
  receivers: Receivers;
  /** Sends notifications to browsers in which no page is open. */
  push: PushSender;
  remoteImages: RemoteImages;
  /** Web servers that belong to mail servers. */
  publicWeb: PublicWeb;
  /** Proposes special days of calendars. */
  holidays: Holidays;
  webhookTally: Tally;
  /** Undefined unless the settings name a collector. The caller of `openApp` closes it. */
  telemetry: Telemetry | undefined;
  close(): Promise<void>;
};

export type AppOptions = {
  config: Config;
  log: Logger;
  databaseUrl: string;
  clock?: Clock;
  poolSize?: number;
  /** How long a request waits for the database. */
  requestQueryTimeoutMs?: number;
  telemetry?: Telemetry | undefined;
  /** Resolves the host names of webhook receivers and remote images; DNS by default. */
  resolveName?: ResolveName;
  /** Looks up the DNS records of mail senders; DNS by default. */
  resolveDns?: ResolveDns;
  /** Cost of hashing passwords. Only tests lower it. */
  passwordCost?: PasswordCost;
};

/** Includes one listening connection for each lane of the queue, and one for all other jobs. */
const poolSizeDefault = 23;

export function openApp({
  config,
  log,
  databaseUrl,
  clock = systemClock,
  poolSize = poolSizeDefault,
  requestQueryTimeoutMs,
  resolveName = resolveByDns,
  resolveDns = openDns(),
  passwordCost,
  telemetry,
}: AppOptions): App {
  const access = openAccessCache(clock);
  const { db, live } = openDatabase({ config, log, databaseUrl, clock, poolSize, requestQueryTimeoutMs, access });
  const transports = openTransports(config, clock);
  const blobs = openBlobs(config, log);
  const providers = openProviders(config, clock, resolveName);
  const identities = openIdentityTokens(config.identityProviders, { clock, log });
  const pushTokens = openPushTokens(config.gmail.push, { clock, log });
  const passwords = openPasswords(passwordCost);
  const passwordJudge = openPasswordJudge({
    minScore: config.passwordMinScore,
    onFault: (err) => log.error({ err }, 'the thread that judges passwords failed'),
  });
  const mailParser = openMailParser();
  const holidays = openHolidays();
  const seal = openSeal(config.encryptionKeys);
  return {
    config,
    log,
    clock,
    db,
    live,
    access,
    blobs,
    surveyLinks: openSurveyLinks({ secret: config.authSecret, publicUrl: config.publicUrl }),
    fileUrls: openFileUrls({ secret: config.authSecret, publicUrl: config.publicUrl, clock }),
    tokens: accessTokens(config.authSecret, clock),
    cookies: openSessionCookies(config, clock),
    identities,
    pushTokens,
    passwords,
    passwordJudge,
    seal,
    ...transports,
    mailParser,
    resolveDns,
    providers,
    ...openOutsiders({ config, db, seal, log, resolve: resolveName }),
    holidays,
    webhookTally: openTally(),
    telemetry,
    close: async () => {
      await Promise.all(Object.values(providers).map((provider) => provider.close()));
      await identities.close();
      await pushTokens.close();
      await transports.mail.close();
      await transports.systemMail.close();
      await mailParser.close();
      await passwordJudge.close();
      await holidays.close();
      await passwords.close();
      await blobs.close();
      await live.close();
      await db.close();
    },
  };
}

function openProviders(config: AppOptions['config'], clock: Clock, resolveName: ResolveName) {
  return {
    [providerKeys.microsoft]: openGraph({ ...config.microsoft, clock }),
    [providerKeys.gmail]: openGmail(config.gmail),
    [providerKeys.imap]: openImap({ reach: (host) => reachServer(host, config, resolveName) }),
  };
}

/** Servers that people name. */
function openOutsiders({
  config: { webhookAllowedNetworks, mailAllowedNetworks, pushAllowedNetworks, pushContact: contact },
  db,
  seal,
  log,
  resolve,
}: Pick<App, 'config' | 'db' | 'seal' | 'log'> & { resolve: ResolveName }): Pick<
  App,
  'receivers' | 'remoteImages' | 'publicWeb' | 'push'
> {
  return {
    push: openPushSender({ db, seal, log, contact, web: openPublicWeb(pushAllowedNetworks, resolve) }),
    receivers: openReceivers(webhookAllowedNetworks, resolve),
    remoteImages: openRemoteImages(webhookAllowedNetworks, resolve),
    publicWeb: openPublicWeb(mailAllowedNetworks, resolve),
  };
}

/**
 * The addresses of a mail server that an admin named. Throws if an address is in a private network that
 * `MAIL_ALLOWED_NETWORKS` does not name.
 */
async function reachServer(host: string, config: Config, resolve: ResolveName): Promise<string[]> {
  const url = new URL(`imap://${host.includes(':') ? `[${host}]` : host}`);
  try {
    return await reachableAddresses(url, { allowed: config.mailAllowedNetworks, resolve, mayBePlain: true });
  } catch (cause) {
    if (!(cause instanceof UnreachedError) || !cause.isForGood) throw cause;
    throw new Error('Its address is in a network that MAIL_ALLOWED_NETWORKS does not name.', { cause });
  }
}

/** Opens the pool and its listener together, because each notifies the other. */
function openDatabase({
  config,
  log,
  databaseUrl,
  requestQueryTimeoutMs,
  clock,
  poolSize,
  access,
}: Required<Pick<AppOptions, 'config' | 'log' | 'databaseUrl' | 'clock' | 'poolSize'>> & {
  requestQueryTimeoutMs: number | undefined;
  access: AccessCache;
}): Pick<App, 'db' | 'live'> {
  const live = openLive({
    // LISTEN needs its own session, so it bypasses a pooler.
    url: config.database.kind === 'external' ? config.database.directUrl : databaseUrl,
    log,
    publish: (channel, payload) => db.one(sql`select pg_notify(${channel}, ${payload})`),
  });
  const db: Db = openDb({
    url: databaseUrl,
    settings: config,
    onTouched: live.touch,
    onRevoked: () => access.clear(),
    clock,
    poolSize,
    ...(requestQueryTimeoutMs === undefined ? {} : { requestQueryTimeoutMs }),
    // Many connections fail at once when the database goes away. Their stacks only lead into the driver, so omit them.
    onIdleError: ({ code, message }) => log.warn({ code, reason: message }, 'an idle database connection was lost'),
  });
  return { db, live };
}

/** Reserves a fifth of the mail server connections for the service's own mails. */
function openTransports({ mail, smtpConnectionsMax, dataDir }: Config, clock: Clock): Pick<App, 'mail' | 'systemMail'> {
  if (mail.kind === 'outbox') {
    const outbox = openOutbox(join(dataDir, 'outbox'), clock);
    return { mail: outbox, systemMail: outbox };
  }
  const systemMax = Math.max(1, Math.floor(smtpConnectionsMax / 5));
  return {
    mail: openSmtp(mail.url, { connectionsMax: smtpConnectionsMax - systemMax }),
    systemMail: openSmtp(mail.url, { connectionsMax: systemMax }),
  };
}
