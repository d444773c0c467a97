import { createHash } from 'node:crypto';

/**
 * The id of a record of another help desk: a UUIDv7 of its time of creation, whose random part is a hash of its name in
 * the source. So it is the same each time, and a second import finds what the first one brought.
 */
export function stableId(source: string, kind: string, key: string | number, at: string): string {
  const time = Math.max(0, Math.min(Date.parse(at) || 0, 2 ** 48 - 1));
  const stamp = time.toString(16).padStart(12, '0');
  const hash = createHash('sha256').update(`${source}\0${kind}\0${key}`).digest();
  hash[0] = 0x70 | ((hash[0] ?? 0) & 0x0f);
  hash[2] = 0x80 | ((hash[2] ?? 0) & 0x3f);
  const rest = hash.subarray(0, 10).toString('hex');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`;
}
