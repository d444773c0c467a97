import { XMLParser } from 'fast-xml-parser';
import type { PublicWeb } from '../../../ground/platform/public-web.ts';
import type { ServerEnd } from '../../provider.ts';

/** The servers that a domain names for mail programs (Mozilla's autoconfig). */
export type NamedServers = { imap: ServerEnd; smtp: ServerEnd };

const limits = { bytesMax: 65_536, timeoutMs: 3_000, redirectsMax: 3 };

/** Asks by https alone. @returns undefined where the domain names none */
export async function findAutoconfig(ask: PublicWeb, domain: string): Promise<NamedServers | undefined> {
  const addresses = [
    `https://autoconfig.${domain}/mail/config-v1.1.xml`,
    `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`,
  ];
  const answers = await Promise.allSettled(addresses.map((address) => ask(address, limits)));
  for (const answer of answers) {
    const xml = answer.status === 'fulfilled' && answer.value?.status === 200 ? answer.value.bytes : undefined;
    const servers = xml === undefined ? undefined : readAutoconfig(xml.toString());
    if (servers !== undefined) return servers;
  }
  return undefined;
}

const parser = new XMLParser({ ignoreAttributes: false, processEntities: false, parseTagValue: false });

type Described = { '@_type'?: unknown; hostname?: unknown; port?: unknown; socketType?: unknown };

/** The first encrypted server of each kind. @returns undefined for other text */
export function readAutoconfig(xml: string): NamedServers | undefined {
  try {
    const provider = listOf(parser.parse(xml)?.clientConfig?.emailProvider)[0] as Record<string, unknown> | undefined;
    const imap = endOf(provider?.incomingServer, 'imap');
    const smtp = endOf(provider?.outgoingServer, 'smtp');
    return imap === undefined || smtp === undefined ? undefined : { imap, smtp };
  } catch {
    return undefined;
  }
}

const securities: Record<string, ServerEnd['security']> = { ssl: 'tls', starttls: 'starttls' };

function endOf(servers: unknown, kind: string): ServerEnd | undefined {
  for (const { '@_type': type, hostname, port, socketType } of listOf(servers) as Described[]) {
    const security = securities[String(socketType).toLowerCase()];
    const isHost =
      typeof hostname === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(hostname) && hostname.length <= 253;
    const isPort = /^\d{1,5}$/.test(String(port)) && Number(port) >= 1 && Number(port) <= 65_535;
    if (type === kind && security !== undefined && isHost && isPort)
      return { host: hostname.toLowerCase(), port: Number(port), security };
  }
  return undefined;
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === '') return [];
  return Array.isArray(value) ? value : [value];
}
