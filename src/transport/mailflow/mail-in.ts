import { findInboundAddress } from '../../access/workspaces/inbound-address.ts';
import { sha256OfAll } from '../../ground/blobs/blobs.ts';
import { callerAddress } from '../../ground/http/rate-limit.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { domainOf, localPartOf } from '../../ground/lib/plus-address.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { keptCertificate } from '../../ground/platform/kept-certificate.ts';
import type { Config } from '../../ground/settings/config.ts';
import type { SmtpListen } from '../../ground/settings/mail-settings.ts';
import { isStorageFull } from '../../helpdesk/files/storage-quota.ts';
import { type IncomingMail, openSmtpListener, type SmtpClient, type SmtpListener } from '../../mail/smtp-listener.ts';
import { type MailSource, storeRawMails } from './raw-mails.ts';
import { identifiesItself, isAnotherMail, noteAcknowledged, noteAnotherMail, withTrace } from './repeated-mails.ts';
import type { Stores } from './stores.ts';

/** The parts that the SMTP intake needs to store mails. */
type MailRoom = Pick<Stores, 'db' | 'blobs' | 'log'> & {
  config: Pick<Config, 'mailFrom' | 'dataDir' | 'smtpConnectionsPerAddress'>;
  clock: Clock;
};

/**
 * Receives mail for the workspaces' inbound addresses and their plus forms. Answers 250 only after the mail is
 * committed.
 * Throws a `StartError` when it cannot listen.
 */
export async function openMailIn(room: MailRoom, { host, port, tls }: SmtpListen): Promise<SmtpListener> {
  const name = domainOf(room.config.mailFrom.email);
  try {
    return await openSmtpListener({
      host,
      port,
      name,
      tls: tls ?? (await ownTls(room.config, name)),
      keeper: {
        isKnown: async (address) => (await workspaceOf(room, address)) !== undefined,
        isFull: (address) => isFull(room, address),
        keep: (mail) => keepMail(room, mail),
      },
      sourceOf: callerAddress,
      log: room.log,
      limits: { clientsOfAddressMax: room.config.smtpConnectionsPerAddress },
    });
  } catch (error) {
    throw new StartError(`SMTP_LISTEN: ${explain(error as NodeJS.ErrnoException, { host, port })}`, { cause: error });
  }
}

async function ownTls({ dataDir }: Pick<Config, 'dataDir'>, host: string) {
  const path = await keptCertificate(dataDir, { name: 'smtp-tls.pem', host });
  return { certPath: path, keyPath: path };
}

function explain({ code = '', path, message }: NodeJS.ErrnoException, place: { host: string; port: number }): string {
  if (code.startsWith('ERR_OSSL')) return `the certificate and the key are not a pair of PEM files (${message}).`;
  // For a file fault only the message names the file.
  return (path === undefined ? explanations[code]?.(place) : undefined) ?? message;
}

const explanations: Record<string, (place: { host: string; port: number }) => string> = {
  EADDRINUSE: ({ port }) => `port ${port} is taken by another program: stop that program, or choose another port.`,
  EACCES: ({ port }) => `this user may not open port ${port}: choose one of 1024 or above.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine.`,
  ENOTFOUND: ({ host }) => `${host} is neither an address nor a known name.`,
};

async function workspaceOf({ db, config }: MailRoom, address: string): Promise<WorkspaceId | undefined> {
  if (domainOf(address) !== domainOf(config.mailFrom.email)) return undefined;
  return (await findInboundAddress(db, localPartOf(address)))?.workspaceId;
}

async function isFull(room: MailRoom, address: string): Promise<boolean> {
  const isLimited = room.db.settings.storageBytesMax > 0;
  const workspaceId = isLimited ? await workspaceOf(room, address) : undefined;
  return workspaceId !== undefined && isStorageFull(room.db, workspaceId);
}

/**
 * Each workspace stores the mail once, with its own recipients. No Received field is added: if a client lost our
 * answer and sends the mail again, the bytes are equal and nothing is taken twice. Only a mail that nothing identifies
 * gets one, if the same bytes came before as another mail.
 * @returns for such a mail, notes that the client has read our answer
 */
async function keepMail(
  room: MailRoom,
  { from, to, client, bytes }: IncomingMail,
): Promise<(() => Promise<void>) | undefined> {
  const receivedAt = room.clock.now();
  const recipients = new Map<WorkspaceId, string[]>();
  for (const address of to) {
    const workspaceId = await workspaceOf(room, address);
    if (workspaceId !== undefined) recipients.set(workspaceId, [...(recipients.get(workspaceId) ?? []), address]);
  }
  if (recipients.size === 0) throw new Error('the mailboxes of a mail are gone');
  const [sha256] = identifiesItself(bytes) ? [] : await sha256OfAll([bytes]);
  for (const [workspaceId, ours] of recipients) {
    const envelope = { from, to: ours, client };
    const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt, envelope } as const;
    if (sha256 === undefined) await storeRawMails(room, source, [bytes]);
    else await storeUnidentified(room, source, { bytes, sha256 });
  }
  if (sha256 === undefined) return undefined;
  return () =>
    room.db.tx(async (tx) => {
      for (const workspaceId of recipients.keys())
        await noteAcknowledged(tx, { workspaceId, sha256, at: room.clock.now() });
    });
}

async function storeUnidentified(
  room: MailRoom,
  source: MailSource & { envelope: { to: string[]; client: SmtpClient } },
  { bytes, sha256 }: { bytes: Buffer; sha256: string },
): Promise<void> {
  const { workspaceId, receivedAt: at, envelope } = source;
  if (!(await isAnotherMail(room.db, { workspaceId, sha256, to: envelope.to, at }, bytes))) {
    await storeRawMails(room, source, [bytes]);
    return;
  }
  const name = domainOf(room.config.mailFrom.email);
  const traced = withTrace(bytes, { client: envelope.client, name, at });
  await storeRawMails(room, source, [traced], (tx) => noteAnotherMail(tx, { workspaceId, sha256, at }));
}
