/**
 * Ours have some 300 characters. Whatever is let past here may be kept in memory for a while, together with the header that it
 * was cut from: so blanks count, before it and inside, where a decoder of base64 passes over them.
 */
const headerLengthMax = 1_000;

/** The one bearer token of an `Authorization` header (RFC 6750 §2.1), or undefined when it holds something else. */
export function bearerIn(header: string): string | undefined {
  return header.length > headerLengthMax ? undefined : /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
}
