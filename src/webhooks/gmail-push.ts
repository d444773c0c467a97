import { hasBadText } from '../http/json-body.ts';
import { invalidRequest } from '../lib/errors.ts';
import { caseKey } from '../lib/text.ts';
import type { Poke } from './poke.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Standard and URL-safe alphabet, padded or not: Pub/Sub's own pages and Gmail's differ. */
const base64 = /^[\w+/-]*={0,2}$/;
/** RFC 5321 §4.5.3.1. */
const addressCharactersMax = 320;

/**
 * Whose mailbox a push of Pub/Sub tells of. The history id that it names is not looked at: reading goes on from where it ended.
 * @returns undefined when there is nothing in it to read
 * Throws `request.invalid` for what is no envelope of Pub/Sub's.
 */
export function readGmailPush(envelope: object): Poke | undefined {
  const { message } = envelope as { message?: unknown };
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw invalidRequest({ path: 'body.message', message: 'must be object' });
  const address = addressIn((message as { data?: unknown }).data);
  return address === undefined
    ? undefined
    : {
        provider: 'mail-b',
        routeKey: caseKey(address),
        wantsSync: true,
        wantsWatch: false,
        isWatchGone: false,
        isProven: true,
      };
}

function addressIn(data: unknown): string | undefined {
  if (typeof data !== 'string' || !base64.test(data)) return undefined;
  const address = emailAddressOf(Buffer.from(data, 'base64'));
  const isUsable = typeof address === 'string' && address.length <= addressCharactersMax && !hasBadText(address);
  return isUsable && address.includes('@') ? address : undefined;
}

function emailAddressOf(json: Buffer): unknown {
  try {
    return (JSON.parse(utf8.decode(json)) as { emailAddress?: unknown } | null)?.emailAddress;
  } catch {
    return undefined;
  }
}
