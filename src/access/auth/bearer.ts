/**
 * Our tokens have some 300 characters. The token caches may keep a token in memory, together with the header that it is
 * a slice of. So the limit counts the whole header, blanks included.
 */
const headerLengthMax = 1_000;

/** The bearer token of an `Authorization` header (RFC 6750 §2.1); undefined when the header holds anything else. */
export function bearerIn(header: string): string | undefined {
  return header.length > headerLengthMax ? undefined : /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
}
