import { boundedDns, type ResolveDns } from '@kontor/mail/dns.ts';
import { domainOf } from '../../../ground/lib/plus-address.ts';
import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import type { ServerEnd } from '../../provider.ts';
import { type ProviderKey, providerKeys } from '../../providers/registry.ts';
import { findAutoconfig } from './autoconfig.ts';

export const discoverySources = ['known', 'srv', 'autoconfig', 'mx', 'guess'] as const;

/** Servers that may have a mailbox. They are null at a provider to which a person consents instead. */
export type ServerCandidate = {
  source: (typeof discoverySources)[number];
  provider: ProviderKey;
  imap: ServerEnd | null;
  smtp: ServerEnd | null;
};

/** `mx` is the end of the names of the servers that receive mail for other domains. */
type KnownProvider = { domains: readonly string[]; mx: string | null } & Omit<ServerCandidate, 'source'>;

const at = (imap: string, smtp: string, smtpPort: 465 | 587 = 465) =>
  ({
    provider: providerKeys.imap,
    imap: { host: imap, port: 993, security: 'tls' },
    smtp: { host: smtp, port: smtpPort, security: smtpPort === 465 ? 'tls' : 'starttls' },
  }) as const;
const consented = (provider: ProviderKey) => ({ provider, imap: null, smtp: null });

const knownProviders: readonly KnownProvider[] = [
  { domains: ['gmail.com', 'googlemail.com'], mx: 'google.com', ...consented(providerKeys.gmail) },
  {
    domains: ['outlook.com', 'hotmail.com', 'live.com'],
    mx: 'protection.outlook.com',
    ...consented(providerKeys.microsoft),
  },
  {
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mx: 'icloud.com',
    ...at('imap.mail.me.com', 'smtp.mail.me.com', 587),
  },
  // Before Yahoo, which receives AOL's mail under its own name.
  { domains: ['aol.com'], mx: 'mail.gm0.yahoodns.net', ...at('imap.aol.com', 'smtp.aol.com') },
  { domains: ['yahoo.com', 'ymail.com'], mx: 'yahoodns.net', ...at('imap.mail.yahoo.com', 'smtp.mail.yahoo.com') },
  {
    domains: ['fastmail.com', 'fastmail.fm'],
    mx: 'messagingengine.com',
    ...at('imap.fastmail.com', 'smtp.fastmail.com'),
  },
  { domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch'], mx: 'gmx.net', ...at('imap.gmx.net', 'mail.gmx.net') },
  { domains: ['gmx.com'], mx: 'gmx.com', ...at('imap.gmx.com', 'mail.gmx.com') },
  { domains: ['web.de'], mx: 'web.de', ...at('imap.web.de', 'smtp.web.de', 587) },
  { domains: ['mailbox.org'], mx: 'mailbox.org', ...at('imap.mailbox.org', 'smtp.mailbox.org') },
  { domains: ['posteo.de', 'posteo.net'], mx: 'posteo.de', ...at('posteo.de', 'posteo.de') },
  { domains: ['zoho.com'], mx: 'zoho.com', ...at('imappro.zoho.com', 'smtppro.zoho.com') },
  { domains: [], mx: 'zoho.eu', ...at('imappro.zoho.eu', 'smtppro.zoho.eu') },
  { domains: [], mx: 'migadu.com', ...at('imap.migadu.com', 'smtp.migadu.com') },
  { domains: [], mx: 'ovh.net', ...at('ssl0.ovh.net', 'ssl0.ovh.net') },
  { domains: [], mx: 'kundenserver.de', ...at('imap.ionos.de', 'smtp.ionos.de') },
  { domains: [], mx: 'schlund.de', ...at('imap.ionos.de', 'smtp.ionos.de') },
  { domains: [], mx: 'rzone.de', ...at('imap.strato.de', 'smtp.strato.de') },
  {
    domains: ['t-online.de', 'magenta.de'],
    mx: null,
    ...at('secureimap.t-online.de', 'securesmtp.t-online.de'),
  },
];

const lookLimits = { queriesMax: 4, millisecondsMax: 4_000 };

/**
 * Finds servers by the address alone, the likeliest first: well-known providers, SRV records (RFC 6186, RFC 8314),
 * Mozilla's autoconfig, the provider that receives the domain's mail, then usual names. Connects to none of them.
 */
export async function discoverServers(
  { resolveDns, publicWeb }: { resolveDns: ResolveDns; publicWeb: PublicWeb },
  address: string,
): Promise<ServerCandidate[]> {
  const domain = domainOf(address).toLowerCase();
  const known = knownProviders.find(({ domains }) => domains.includes(domain));
  if (known !== undefined) return [candidateOf(known, 'known')];
  const resolve = boundedDns(resolveDns, lookLimits);
  const [imap, submissions, submission, mx, named] = await Promise.all([
    lookUp<SrvRecord>(resolve, `_imaps._tcp.${domain}`, 'SRV'),
    lookUp<SrvRecord>(resolve, `_submissions._tcp.${domain}`, 'SRV'),
    lookUp<SrvRecord>(resolve, `_submission._tcp.${domain}`, 'SRV'),
    lookUp<MxRecord>(resolve, domain, 'MX'),
    findAutoconfig(publicWeb, domain),
  ]);
  const imapEnd = endOf(imap, 'tls');
  const smtpEnd = endOf(submissions, 'tls') ?? endOf(submission, 'starttls');
  const exchanges = mx.map(({ exchange }) => exchange.toLowerCase());
  const receiver = knownProviders.find(
    ({ mx: end }) => end !== null && exchanges.some((name) => name === end || name.endsWith(`.${end}`)),
  );
  return [
    ...(imapEnd !== null && smtpEnd !== null
      ? [{ source: 'srv' as const, provider: providerKeys.imap, imap: imapEnd, smtp: smtpEnd }]
      : []),
    ...(named === undefined ? [] : [{ source: 'autoconfig' as const, provider: providerKeys.imap, ...named }]),
    ...(receiver === undefined ? [] : [candidateOf(receiver, 'mx')]),
    { source: 'guess', ...at(`imap.${domain}`, `smtp.${domain}`) },
    { source: 'guess', ...at(`mail.${domain}`, `mail.${domain}`) },
  ];
}

type SrvRecord = { name: string; port: number; priority: number };
type MxRecord = { exchange: string };

function candidateOf({ provider, imap, smtp }: KnownProvider, source: ServerCandidate['source']): ServerCandidate {
  return { source, provider, imap, smtp };
}

/** A domain without such records, or without an answer in time, has none. */
async function lookUp<Row>(resolve: ResolveDns, name: string, type: string): Promise<Row[]> {
  try {
    return (await resolve(name, type)) as unknown as Row[];
  } catch {
    return [];
  }
}

/** A record with the name `.` says that there is no such service (RFC 6186 §3.4). */
function endOf(records: readonly SrvRecord[], security: ServerEnd['security']): ServerEnd | null {
  const [first] = records.toSorted((one, other) => one.priority - other.priority);
  if (first === undefined || first.name === '' || first.name === '.') return null;
  return { host: first.name, port: first.port, security };
}
