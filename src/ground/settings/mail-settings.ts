import { isIP } from 'node:net';
import type { SettingsReader } from './settings-reader.ts';

export type MailSettings = {
  mail: { kind: 'outbox' } | { kind: 'smtp'; url: string };
  /** The most connections to the SMTP server at once. */
  smtpConnectionsMax: number;
  /** The sender of our mail. */
  mailFrom: MailFrom;
  /**
   * How many new addresses may be written to within 24 hours, 0 = unlimited: by a workspace, by all workspaces of one
   * owner together, and by all young workspaces of the installation together.
   */
  newRecipientsPerDay: { workspace: number; account: number; installation: number };
  /** Where the SMTP listener accepts mail; undefined = no listener. */
  smtpListen: SmtpListen | undefined;
  /** The most connections to the listener from one client address at once. */
  smtpConnectionsPerAddress: number;
  /** The authserv-id of the server whose `Authentication-Results` we trust. Undefined: we verify senders ourselves. */
  mailAuthservId: string | undefined;
};

type MailFrom = { name: string | null; email: string };

export type SmtpListen = {
  host: string;
  port: number;
  /** Paths of PEM files for STARTTLS. Undefined: a self-signed certificate in the data folder. */
  tls: { certPath: string; keyPath: string } | undefined;
};

/** Whether mail leaves without a connected mailbox. */
export function hasSmtp({ mail }: Pick<MailSettings, 'mail'>): boolean {
  return mail.kind === 'smtp';
}

export function readMailSettings(read: SettingsReader, publicUrl: string): MailSettings {
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  return {
    mail: smtpUrl ? { kind: 'smtp', url: smtpUrl } : { kind: 'outbox' },
    smtpConnectionsMax: read.integer('SMTP_CONNECTIONS', 10, 2, 100),
    mailFrom: readMailFrom(read) ?? { name: 'Kontor', email: `kontor@${mailHost(publicUrl)}` },
    newRecipientsPerDay: {
      workspace: read.integer('NEW_RECIPIENTS_PER_DAY', 1_000, 0, 1_000_000),
      account: read.integer('NEW_RECIPIENTS_PER_DAY_AND_ACCOUNT', 5_000, 0, 10_000_000),
      installation: read.integer('NEW_RECIPIENTS_PER_DAY_OF_YOUNG_WORKSPACES', 20_000, 0, 100_000_000),
    },
    smtpListen: readSmtpListen(read),
    smtpConnectionsPerAddress: read.integer('SMTP_CONNECTIONS_PER_ADDRESS', 10, 1, 200),
    mailAuthservId: readAuthservId(read),
  };
}

function readMailFrom(read: SettingsReader): MailFrom | undefined {
  const text = read.text('MAIL_FROM');
  if (text === undefined) return undefined;
  const parts = /^(?:"?([^<>@"\r\n]*?)"?\s*<([^<>@\s]+@[^<>@\s]+)>|([^<>@\s]+@[^<>@\s]+))$/.exec(text);
  const email = parts?.[2] ?? parts?.[3];
  if (email !== undefined) return { name: parts?.[1] || null, email };
  read.faults.push(`MAIL_FROM: "${text}" is not a mail address, such as Support <support@example.org>`);
  return undefined;
}

function mailHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  // An address needs a host with a dot: Gmail replaces Message-IDs whose host has none.
  return host.includes('.') && isIP(host) === 0 ? host : 'kontor.localhost';
}

/** The authserv-id of RFC 8601 §2.5, usually a host name. */
function readAuthservId(read: SettingsReader): string | undefined {
  const text = read.text('MAIL_AUTHSERV_ID');
  if (text === undefined || /^[^\s";=()]{1,255}$/.test(text)) return text;
  read.faults.push(`MAIL_AUTHSERV_ID: "${text}" is not a name that can begin an Authentication-Results field`);
  return undefined;
}

/** Reads `smtp://host:port?cert=<path>&key=<path>`. Only the port is required: `25`, `127.0.0.1:2525`. */
function readSmtpListen(read: SettingsReader): SmtpListen | undefined {
  const text = read.text('SMTP_LISTEN');
  if (text === undefined) return undefined;
  const bare = text.replace(/^smtp:\/\//, '');
  const address = `smtp://${/^\d+(?:\?|$)/.test(bare) ? `0.0.0.0:${bare}` : bare}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const certPath = url?.searchParams.get('cert') ?? undefined;
  const keyPath = url?.searchParams.get('key') ?? undefined;
  const isWhole = url !== undefined && url.hostname !== '' && url.port !== '' && !certPath === !keyPath;
  if (!isWhole) {
    read.faults.push('SMTP_LISTEN: not a port, host:port, or smtp://host:port?cert=<path>&key=<path>');
    return undefined;
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    tls: certPath !== undefined && keyPath !== undefined ? { certPath, keyPath } : undefined,
  };
}
