/** Pages of a list: how long they are, and the token that leads to the next. */
import { Refusal } from './gmail-answer.ts';

const usualSize = 100;
const sizeMost = 500;

/** @param bound what the token is good for: it is refused for any other list */
export function pageToken(after: readonly number[], bound: string): string {
  return Buffer.from(JSON.stringify([after, bound])).toString('base64url');
}

/** What the page begins after. */
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
