import { decodeWords, oneLine } from '@kontor/mail/encoded-words.ts';
import type { MailHeader } from '@kontor/mail/mail.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';

/** The header fields of a mail that are stored with its message: by name in lower case, each value in one line. */
export type KeptHeaders = Readonly<Record<string, readonly string[]>>;

/** Of all names and values together, as UTF-8. */
const keptBytesMax = 4_096;
/** `X-Spam-Status: Yes, …` begins with what a rule asks for. */
const valueCodePointsMax = 200;
const nameCharsMax = 100;

/** What other columns hold, or the parts of a mail tell. */
const ofColumns = /^(?:(?:x-)?from|to|cc|bcc|reply-to|subject|date|message-id|references|in-reply-to|return-path)$/;
const ofParts = /^(?:mime|content)-/;
/** Where the mail came through, when and to whom. */
const ofTheWay =
  /received|delivered-to$|envelope-to$|original-to$|^(?:delivery-date|x-rcpt-to|x-original.*time|lines)$/;
/** How people subscribe to a list, which `list-id` and `list-unsubscribe` show to be one. */
const ofLists = /^(?:list-(?:subscribe|help|archive|owner|post)|archived-at|x-beenthere|x-mailing-list)$/;
/** Proofs and keys. */
const ofProofs = /^(?:arc|authentication)-|^autocrypt|^(?:x-)?face$|signature$/;
/** Long values that only the programs of one provider can read. */
const ofProviders = /^(?:thread-|x-(?:gm-|google-smtp|microsoft-|ymail|authority-|ms-(?!exchange-organization-scl$)))/;

const passedOver = [ofColumns, ofParts, ofTheWay, ofLists, ofProofs, ofProviders];

/**
 * The fields for which a rule may ask, such as `list-id`, `auto-submitted`, `importance` and `x-spam-status`. Those of
 * the standards come first, because a mail with very many keeps only the first. Null for none.
 */
export function keptHeaders(headers: readonly MailHeader[]): KeptHeaders | null {
  const wanted = headers.filter(({ name }) => name.length <= nameCharsMax && !passedOver.some((one) => one.test(name)));
  const isOwn = ({ name }: MailHeader) => name.startsWith('x-');
  const kept = new Map<string, string[]>();
  let bytes = 0;
  for (const { name, value } of [...wanted.filter((one) => !isOwn(one)), ...wanted.filter(isOwn)]) {
    const text = firstCodePoints(oneLine(decodeWords(value)), valueCodePointsMax);
    const values = kept.get(name) ?? [];
    bytes += Buffer.byteLength(text) + (values.length === 0 ? Buffer.byteLength(name) : 0);
    if (bytes > keptBytesMax) break;
    kept.set(name, [...values, text]);
  }
  return kept.size === 0 ? null : Object.fromEntries(kept);
}
