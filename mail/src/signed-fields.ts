/** Tells which header fields a DKIM signature covers (RFC 6376 §5.4, §8.15). */
import type { MailHeader } from './mail.ts';
import { strictFieldNames } from './signed-bytes.ts';

/** The fields that a mail has at most once (RFC 5322 §3.6, RFC 2045 §3), and that say who, what or how to show it. */
const singleFields = [
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'message-id',
  'in-reply-to',
  'references',
  'subject',
  'date',
  'content-type',
  'content-transfer-encoding',
] as const;

/**
 * The single fields of a mail that a signature covers. A signature that names a field n times covers the lowest n. So
 * anybody can put another one on top, which is the one that programs show.
 * @param named the names in `h=`, in lower case, repeated as there
 * @returns undefined when the mail repeats a single field more often than the signature names it. Then the signature
 * proves nothing, because the mail was changed.
 */
export function coveredFields(headers: readonly MailHeader[], named: readonly string[]): string[] | undefined {
  const covered: string[] = [];
  for (const field of singleFields) {
    const count = headers.filter(({ name }) => name === field).length;
    const isCovered = named.filter((name) => name === field).length >= count;
    if (count > 1 && !isCovered) return undefined;
    if (count > 0 && isCovered) covered.push(field);
  }
  return covered;
}

/**
 * Whether the inbox reads the same fields as a verifier of signatures. Where it repairs the header or stops earlier, it
 * may show fields that nobody signed.
 */
export function readsAsSigned(headers: readonly MailHeader[], bytes: Buffer): boolean {
  const strict = strictFieldNames(bytes);
  return strict?.length === headers.length && headers.every(({ name }, index) => name === strict[index]);
}

/** The names in `h=` of a DKIM-Signature, in lower case. */
export function namedFields(signature: string): string[] {
  const list = /(?:^|;)\s*h\s*=([^;]*)/i.exec(signature.slice(0, signatureCharsMax))?.[1] ?? '';
  return list.split(':').flatMap((name) => name.trim().toLowerCase() || []);
}

const signatureCharsMax = 8_192;
