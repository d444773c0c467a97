import { hasBadText } from '../../ground/http/json-body.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { providerKeys } from '../../mail/providers/registry.ts';
import type { Poke } from './poke.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Accepts both base64 alphabets, padded or not, because the documentation of Pub/Sub and of Gmail differ. */
const base64 = /^[\w+/-]*={0,2}$/;
/** RFC 5321 §4.5.3.1. */
const addressCharactersMax = 320;

/**
 * Reads which mailbox a Pub/Sub push concerns. Ignores its history id: the sync continues from its own cursor.
 * @returns undefined when the push holds no usable address
 * Throws `request.invalid` when the body is not a Pub/Sub envelope.
 */
export function readGmailPush(envelope: object): Poke | undefined {
  const { message } = envelope as { message?: unknown };
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw invalidRequest({ path: 'body.message', key: 'wrong_type', params: { type: 'object' } });
  const address = addressIn((message as { data?: unknown }).data);
  return address === undefined
    ? undefined
    : {
        provider: providerKeys.gmail,
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
