/** Reads how an earlier server judged the sender of a mail (RFC 8601). */

import type { MailHeader } from './mail.ts';
import { asAuthenticationResult, type MailAuthentication, unauthenticated } from './mail-authentication.ts';
import { asciiDomainOf, isTenantDomain, mayVouchFor } from './organisational-domain.ts';
import { coveredFields, namedFields } from './signed-fields.ts';

/** The server whose header fields count: a mailbox provider, or the server with this authserv-id. */
export type ResultsAuthor = 'exchange' | 'gmail' | { authservId: string };

/**
 * Takes over the verdict of the server that received the mail. Only that server's fields count, because a sender can
 * write such fields too. Exchange Online and Gmail add their field above all other fields, so only the topmost field
 * counts there. For any other server, the topmost fields with its name count: it must remove fields with its own name
 * from incoming mail (RFC 8601 §5).
 * @param fromDomain the domain of the From address, as `asciiDomainOf` writes it
 * @param isReadAlike `readsAsSigned` of the mail
 * Never throws.
 */
export function judgeByResults(
  headers: readonly MailHeader[],
  author: ResultsAuthor,
  fromDomain: string,
  isReadAlike = true,
): MailAuthentication {
  const fields = typeof author === 'object' ? fieldsOf(headers, author.authservId) : topmostField(headers, author);
  if (fields.length === 0 || fromDomain === '') return unauthenticated;
  const results = fields.flatMap((field) => field.results ?? []);
  const isCertain =
    fields.every((field) => field.results !== undefined) && !hasOddSender(headers) && !isRepeated(results);
  if (isCertain) return judge(results, { fromDomain, headers, isReadAlike });
  // Trust any `fail`, because a sender gains nothing by forging a failure.
  const isFailed = fields.some(({ value }) => /\bdmarc\s*=\s*fail\b/i.test(value));
  return isFailed ? { ...unauthenticated, verdict: 'fail', dmarc: 'fail' } : unauthenticated;
}

/** A quoted local part may contain text that looks like a result. Some servers repeat that text without the quotes. */
function hasOddSender(headers: readonly MailHeader[]): boolean {
  const returnPath = headers.find(({ name }) => name === 'return-path')?.value.trim() ?? '';
  return /["\\();\s]/.test(returnPath);
}

/** Exchange Online writes no authserv-id, against the RFC. */
function topmostField(headers: readonly MailHeader[], author: 'exchange' | 'gmail'): ResultsField[] {
  const topmost = headers.find(({ name }) => name === 'authentication-results');
  const field = topmost && parseResults(topmost.value);
  return field?.authservId === (author === 'gmail' ? 'mx.google.com' : null) ? [field] : [];
}

/** Each check may write its own field. Another server wrote the fields below the next Received. */
function fieldsOf(headers: readonly MailHeader[], authservId: string): ResultsField[] {
  const found: ResultsField[] = [];
  for (const { name, value } of headers) {
    if (name === 'received' && found.length > 0) break;
    const field = name === 'authentication-results' ? parseResults(value) : undefined;
    if (field?.authservId === authservId.toLowerCase()) found.push(field);
  }
  return found;
}

type MethodResult = { method: string; result: string; properties: ReadonlyMap<string, string> };

/** `results` is undefined when the field may mix the sender's text with the server's. */
type ResultsField = { value: string; authservId: string | null; results: MethodResult[] | undefined };

const fieldCharsMax = 16_384;

function parseResults(value: string): ResultsField {
  const id = /^\s*(?:\([^()]*\)\s*)?"?([^\s";=()]+)"?(?:\s+\d+)?\s*(?:;|\(|$)/.exec(value.slice(0, fieldCharsMax))?.[1];
  const authservId = id?.toLowerCase() ?? null;
  const segments = value.length > fieldCharsMax ? undefined : segmentsOf(value);
  const methods = authservId === null ? segments : segments?.slice(1);
  return { value, authservId, results: methods?.flatMap((segment) => resultOf(segment) ?? []) };
}

/**
 * Splits at semicolons and drops comments. Keeps quoted strings unchanged.
 * @returns undefined for an unclosed quote or comment, and for a quote in a comment. Gmail repeats the sender's
 * address in a comment, and a quoted local part may contain the `)` that ends the comment.
 */
function segmentsOf(value: string): string[] | undefined {
  const segments: string[] = [];
  let segment = '';
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (depth > 0) {
      if (char === '"' || char === '\\') return undefined;
      if (char === '(') depth++;
      else if (char === ')') depth--;
    } else if (isQuoted && char === '\\') segment += char + value.charAt(++at);
    else if (isQuoted || (char !== '(' && char !== ';')) {
      segment += char;
      if (char === '"') isQuoted = !isQuoted;
    } else if (char === '(') {
      depth++;
      segment += ' ';
    } else {
      segments.push(segment);
      segment = '';
    }
  }
  return depth > 0 || isQuoted ? undefined : [...segments, segment];
}

const PAIR = /(?<![^\s=;"])([^\s=;"]+)\s*=\s*((?:"(?:[^"\\]|\\.)*"|[^\s;"])*)/g;

/** Reads `method=result` and its properties. The first of two properties with the same name wins. */
function resultOf(segment: string): MethodResult | undefined {
  const pairs = [...segment.matchAll(PAIR)].map(([, key = '', value = '']) => ({ key: key.toLowerCase(), value }));
  const [first, ...rest] = pairs;
  if (first === undefined) return undefined;
  const properties = new Map(rest.toReversed().map(({ key, value }) => [key, value]));
  return { method: first.key.replace(/\/.*/, ''), result: first.value.toLowerCase(), properties };
}

/** A server may report SPF for both HELO and MAIL FROM. Then only MAIL FROM counts. */
function spfsOf(results: readonly MethodResult[]): MethodResult[] {
  const spfs = results.filter(({ method }) => method === 'spf');
  return spfs.length === 1 ? spfs : spfs.filter(({ properties }) => properties.has('smtp.mailfrom'));
}

/** Whether a check appears twice: the sender may have written one of the two. */
function isRepeated(results: readonly MethodResult[]): boolean {
  return results.filter(({ method }) => method === 'dmarc').length > 1 || spfsOf(results).length > 1;
}

type Mail = { fromDomain: string; headers: readonly MailHeader[]; isReadAlike: boolean };

function judge(results: readonly MethodResult[], mail: Mail): MailAuthentication {
  const { fromDomain } = mail;
  const isAligned = (domain: string | undefined) => mayVouchFor(asciiDomainOf(domain ?? ''), fromDomain);
  const dmarc = results.find(({ method, properties }) => {
    return method === 'dmarc' && asciiDomainOf(properties.get('header.from') ?? '') === fromDomain;
  });
  const [spf] = spfsOf(results);
  const signatures = results.filter(({ method, properties }) => {
    return method === 'dkim' && isAligned(properties.get('header.d') ?? properties.get('header.i'));
  });
  const signature = signatures.find(({ result }) => result === 'pass') ?? signatures[0];
  const isSpfProof = spf?.result === 'pass' && isAligned(spf.properties.get('smtp.mailfrom'));
  const isProven = signature?.result === 'pass' || isSpfProof;
  const verdict = verdictOf(dmarc?.result ?? 'none', isProven, () => isExcused(results, mail));
  const found = {
    spf: asAuthenticationResult(spf?.result),
    dkim: asAuthenticationResult(signature?.result),
    dmarc: asAuthenticationResult(dmarc?.result),
  };
  if (verdict !== 'pass' || isSpfProof) return { verdict, ...found };
  const signedFields = signedFieldsOf(mail);
  return signedFields === undefined
    ? { verdict: 'none', ...found }
    : { verdict, ...found, ...(signedFields !== 'all' && { signedFields }) };
}

/**
 * The fields that every signature of From's organisation covers, as the server does not say which of them passed.
 * @returns `all` without such a signature, because the server then relied on SPF; undefined when the mail was changed
 * around one
 */
function signedFieldsOf({ headers, fromDomain, isReadAlike }: Mail): string[] | 'all' | undefined {
  const signatures = headers.filter(({ name, value }) => {
    return name === 'dkim-signature' && mayVouchFor(asciiDomainOf(tagOf(value, 'd')), fromDomain);
  });
  if (signatures.length === 0) return isTenantDomain(fromDomain) ? undefined : 'all';
  if (!isReadAlike) return undefined;
  let shared: string[] | undefined;
  for (const { value } of signatures) {
    const covered = coveredFields(headers, namedFields(value));
    if (covered === undefined) return undefined;
    shared = shared?.filter((name) => covered.includes(name)) ?? covered;
  }
  return shared;
}

function verdictOf(dmarc: string, isProven: boolean, isExcused: () => boolean): MailAuthentication['verdict'] {
  // Exchange Online writes `bestguesspass` for a mail that would pass DMARC if its domain had a policy.
  if (dmarc === 'pass' || dmarc === 'bestguesspass') return 'pass';
  if (dmarc === 'fail') return isExcused() ? 'none' : 'fail';
  return dmarc === 'none' && isProven ? 'pass' : 'none';
}

/** Whether DMARC fails only because of a forwarder. Exchange Online reports a reason code, other servers report ARC. */
function isExcused(results: readonly MethodResult[], { headers, fromDomain }: Mail): boolean {
  const composite = results.find(({ method }) => method === 'compauth');
  if (composite !== undefined) return composite.result === 'pass' && composite.properties.get('reason') === '130';
  return results.find(({ method }) => method === 'arc')?.result === 'pass' && isExcusedByArc(headers, fromDomain);
}

/**
 * Anybody can add an ARC seal, so a chain is only as trustworthy as its sealers. These sealers are known to be honest.
 */
const trustedSealers = new Set(['google.com', 'microsoft.com', 'messagingengine.com', 'fastmail.com']);

/** Whether all ARC seals of a mail name a trusted forwarder. Does not verify the seals. */
export function isSealedByTrusted(headers: readonly MailHeader[]): boolean {
  const seals = headers.filter(({ name }) => name === 'arc-seal');
  return seals.length > 0 && seals.every(({ value }) => trustedSealers.has(tagOf(value, 'd')));
}

/**
 * Whether DMARC passed when the mail reached its first forwarder (RFC 8617), before forwarding broke it.
 * Call this only for a mail with a valid ARC chain.
 */
export function isExcusedByArc(headers: readonly MailHeader[], fromDomain: string): boolean {
  if (!isSealedByTrusted(headers)) return false;
  const first = headers.find(({ name, value }) => name === 'arc-authentication-results' && tagOf(value, 'i') === '1');
  const { results = [] } = parseResults(first?.value.replace(/^[^;]*;/, '') ?? '');
  const dmarcs = results.filter(({ method }) => method === 'dmarc');
  return (
    dmarcs.length === 1 &&
    dmarcs[0]?.result === 'pass' &&
    asciiDomainOf(dmarcs[0].properties.get('header.from') ?? '') === fromDomain
  );
}

function tagOf(value: string, tag: string): string {
  return new RegExp(`(?:^|;)\\s*${tag}\\s*=\\s*([^;\\s]+)`, 'i').exec(value)?.[1]?.toLowerCase() ?? '';
}
