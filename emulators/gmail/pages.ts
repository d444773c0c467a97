/** Pages of a list: their length, and the token of the next page. */
import { Refusal } from './answer.ts';

const usualSize = 100;
const sizeMost = 500;

/** @param bound the list of this token: any other list refuses the token */
export function pageToken(after: readonly number[], bound: string): string {
  return Buffer.from(JSON.stringify([after, bound])).toString('base64url');
}

/** The position after which the page begins. */
export function openPageToken(token: string | null, bound: string): number[] {
  try {
    const [after, of] = JSON.parse(Buffer.from(token ?? '', 'base64url').toString()) as [number[], unknown];
    if (of === bound) return after;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, 'Invalid pageToken');
}

export function sizeOfPage(query: URLSearchParams): number {
  const size = Number(query.get('maxResults') ?? usualSize);
  return Number.isInteger(size) && size > 0 ? Math.min(sizeMost, size) : usualSize;
}
