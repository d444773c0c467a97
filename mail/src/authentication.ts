/** Verifies the sender of a mail by SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989) and ARC (RFC 8617). */
import { isIP } from 'node:net';
import { arc } from 'mailauth/lib/arc/index.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { dmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { isExcusedByArc, isSealedByTrusted } from './authentication-results.ts';
import { boundedDns, type DnsLimits, type ResolveDns } from './dns.ts';
import type { MailHeader } from './mail.ts';
import {
  type AuthenticationResult,
  asAuthenticationResult,
  type MailAuthentication,
  unauthenticated,
} from './mail-authentication.ts';
import { asciiDomainOf, mayVouchFor } from './organisational-domain.ts';
import { asSigned, onlySignaturesOf } from './signed-bytes.ts';
import { coveredFields, readsAsSigned } from './signed-fields.ts';

/** Who handed the mail in: its IP address, and the name that it gave in HELO or EHLO. */
type SmtpClient = { address: string; helo: string };

export type ReceivedBySmtp = {
  bytes: Buffer;
  headers: readonly MailHeader[];
  /** The From address, as the rest of the service reads it. */
  from: string;
  /** MAIL FROM, empty for `<>`. */
  envelopeFrom: string;
  /** Undefined when unknown, and for one of our own relays, because SPF cannot judge a relay. */
  client: SmtpClient | undefined;
};

/** Keeps one sender's slow DNS from delaying other mail. */
const dnsLimitsDefault: DnsLimits = { queriesMax: 60, millisecondsMax: 5_000 };
/** The shortest RSA key that a verifier may accept (RFC 8301 §3.2). */
const keyBitsMin = 1_024;

/**
 * Verifies who sent a mail that came by SMTP.
 * - `pass`: the mail passes DMARC for the From domain. Or that domain publishes no DMARC policy, and DKIM or SPF of its
 *   organisation passes.
 * - `fail`: the domain publishes a DMARC policy, and the mail fails it.
 * - `none`: anything else, such as a DNS server that does not answer.
 * A DKIM signature proves only the fields that it names (`signedFields`), and nothing if a field is repeated beside it.
 * Without a client, SPF cannot judge, so such a mail never fails.
 * Never throws.
 */
export async function authenticateMail(
  mail: ReceivedBySmtp,
  dns: ResolveDns,
  limits: DnsLimits = dnsLimitsDefault,
): Promise<MailAuthentication> {
  const fromDomain = asciiDomainOf(mail.from);
  if (fromDomain === '') return unauthenticated;
  const resolver = boundedDns(dns, limits);
  try {
    const client = mail.client === undefined || isIP(mail.client.address) === 0 ? undefined : mail.client;
    const signatures = await verifySignatures(mail, fromDomain, resolver);
    if (client === undefined && signatures.length === 0) return unauthenticated;
    const sender = client === undefined ? undefined : await checkSender(mail.envelopeFrom, client, resolver);
    return await judge({ mail, fromDomain, signatures, sender, resolver });
  } catch {
    // The library reports problems of the mail as results. An exception is a bug of the library and must not lose the
    // mail.
    return unauthenticated;
  }
}

type Signature = {
  domain: string;
  result: AuthenticationResult;
  isWhole: boolean;
  /** The fields that it proves; undefined when the mail was changed around it, so that it proves nothing. */
  fields: readonly string[] | undefined;
};

/**
 * Verifies only the signatures of the From organisation. Other signatures prove nothing, so this looks up no key for
 * them.
 */
async function verifySignatures(
  { bytes, headers, from }: ReceivedBySmtp,
  fromDomain: string,
  resolver: ResolveDns,
): Promise<Signature[]> {
  const signed = onlySignaturesOf(bytes, (domain) => mayVouchFor(asciiDomainOf(domain), fromDomain));
  if (signed === undefined) return [];
  const { results, headerFrom, fromFields } = await dkimVerify(signed, {
    resolver,
    minBitLength: keyBitsMin,
    rejectRsaSha1: true,
  });
  // The signed From must be the From that the inbox shows.
  const isSameFrom = fromFields === 1 && headerFrom.every((email) => asciiDomainOf(email) === fromDomain);
  if (!isSameFrom || headerFrom[0]?.toLowerCase() !== from.toLowerCase()) return [];
  const isReadAlike = readsAsSigned(headers, bytes);
  return results.flatMap(({ signingDomain, status, signingHeaders }) => {
    if (signingDomain === undefined) return [];
    const named = (signingHeaders?.keys ?? '').split(':').map((name) => name.trim().toLowerCase());
    return [
      {
        domain: asciiDomainOf(signingDomain),
        result: asAuthenticationResult(status.result),
        isWhole: !status.underSized,
        fields: isReadAlike ? coveredFields(headers, named) : undefined,
      },
    ];
  });
}

type Sender = { domain: string; result: AuthenticationResult };

async function checkSender(envelopeFrom: string, client: SmtpClient, resolver: ResolveDns): Promise<Sender> {
  const helo = client.helo || `[${client.address}]`;
  const { domain, status } = await spf({ sender: envelopeFrom, ip: client.address, helo, mta: 'kontor', resolver });
  return { domain: asciiDomainOf(domain), result: asAuthenticationResult(status.result) };
}

type Findings = {
  mail: ReceivedBySmtp;
  fromDomain: string;
  signatures: readonly Signature[];
  /** Undefined when SPF could not be checked. */
  sender: Sender | undefined;
  resolver: ResolveDns;
};

async function judge(findings: Findings): Promise<MailAuthentication> {
  const { mail, fromDomain, signatures, sender, resolver } = findings;
  // A signature over part of the body (`l=`) lets anybody append more.
  const valid = signatures.filter(({ result, isWhole }) => result === 'pass' && isWhole);
  const proofs = valid.filter(({ fields }) => fields !== undefined);
  const isSpfProof = sender?.result === 'pass' && mayVouchFor(sender.domain, fromDomain);
  const policy = await dmarc({
    headerFrom: [mail.from],
    spfDomains: isSpfProof ? [sender.domain] : [],
    dkimDomains: proofs.map(({ domain }) => ({ domain })),
    resolver,
  });
  const result = policy === false ? 'none' : asAuthenticationResult(policy.status.result);
  const isProven = proofs.length > 0 || isSpfProof;
  const isPassed = result === 'pass' || (result === 'none' && isProven);
  // A changed copy of a genuine mail says no more than a mail without signature does.
  const isFailed = result === 'fail' && valid.length === proofs.length && !(await isExcused(findings));
  return {
    verdict: isPassed ? 'pass' : isFailed ? 'fail' : 'none',
    spf: sender?.result ?? 'none',
    dkim: proofs.length > 0 ? 'pass' : (signatures.find(({ result: other }) => other !== 'pass')?.result ?? 'none'),
    dmarc: result,
    ...(isPassed && !isSpfProof && { signedFields: [...new Set(proofs.flatMap(({ fields }) => fields ?? []))] }),
  };
}

/** Whether a mail may be genuine although DMARC fails: a check did not complete, or a forwarder changed the mail. */
async function isExcused({ mail, fromDomain, signatures, sender, resolver }: Findings): Promise<boolean> {
  if (sender === undefined || signatures.some(({ result }) => result === 'temperror')) return true;
  if (sender.result === 'temperror' && mayVouchFor(sender.domain, fromDomain)) return true;
  if (!isSealedByTrusted(mail.headers)) return false;
  const { arc: sealed } = await dkimVerify(asSigned(mail.bytes), { resolver, minBitLength: keyBitsMin });
  if (!sealed?.chain || sealed.lastEntry === undefined) return false;
  const chain = { chain: sealed.chain, lastEntry: sealed.lastEntry };
  const { status } = await arc(chain, { resolver, minBitLength: keyBitsMin });
  return status.result === 'pass' && isExcusedByArc(mail.headers, fromDomain);
}
