import { isIP } from 'node:net';
import { judgeByResults, type ResultsAuthor } from '@kontor/mail/authentication-results.ts';
import { type MailAuthentication, unauthenticated } from '@kontor/mail/mail-authentication.ts';
import { asciiDomainOf } from '@kontor/mail/organisational-domain.ts';
import { readsAsSigned } from '@kontor/mail/signed-fields.ts';
import { isPrivateAddress } from '../../ground/lib/networks.ts';
import { traitsOf } from '../../mail/providers/registry.ts';
import type { Stores } from './stores.ts';
import type { ReadMail } from './understand.ts';

/**
 * Checks whether a mail really comes from its From address. If a mailbox's provider or the relay of `MAIL_AUTHSERV_ID`
 * received the mail, their verdict counts. Otherwise we verify it ourselves. Imported mail is not checked. Never
 * throws.
 */
export async function authenticate(
  { config: { mailAuthservId }, resolveDns }: Pick<Stores, 'config' | 'resolveDns'>,
  { raw, from, parsed: { headers } }: Pick<ReadMail, 'raw' | 'from' | 'parsed'>,
): Promise<MailAuthentication> {
  if (from === null) return unauthenticated;
  const fromDomain = asciiDomainOf(from.email);
  const judge = (author: ResultsAuthor) =>
    judgeByResults(headers, author, fromDomain, readsAsSigned(headers, raw.bytes));
  if (raw.hosted !== null) {
    const isReceived = raw.hosted.folder === 'inbox';
    const { authenticator } = traitsOf(raw.hosted.provider);
    return isReceived && authenticator !== null ? judge(authenticator) : unauthenticated;
  }
  if (raw.origin === 'import') return unauthenticated;
  if (mailAuthservId !== undefined) return judge({ authservId: mailAuthservId });
  const { client, from: envelopeFrom } = raw.envelope;
  const judged = client !== undefined && isOwnRelay(client.address) ? undefined : client;
  const received = { bytes: raw.bytes, headers, from: from.email, envelopeFrom: envelopeFrom ?? '', client: judged };
  // Loads with the first such mail, so that every process starts sooner.
  const { authenticateMail } = await import('@kontor/mail/authentication.ts');
  return authenticateMail(received, resolveDns);
}

/** A client in a private network is one of our own relays, which SPF cannot judge. */
function isOwnRelay(address: string): boolean {
  return isIP(address) !== 0 && isPrivateAddress(address);
}
