import { withoutInvisible } from '@kontor/mail/invisible.ts';
import { firstCodePoints } from '../../../../ground/lib/text.ts';

const charsMax = 60;
const wordsMax = 8;
/** More digits may be a telephone number. */
const digitsMax = 6;

/**
 * A name that people chose, for a letter to somebody who does not know them. Null for a text that a mail program would
 * show as a link, that reads as a message, or that contains a telephone number: letters then do without it. So a firm
 * may have any name, but nobody can send their own words to strangers.
 */
export function plainName(name: string): string | null {
  if (name.length > 4 * charsMax) return null;
  const plain = withoutInvisible(name.normalize('NFKC')).replaceAll('。', '.').replace(/\s+/gu, ' ').trim();
  const isLine =
    firstCodePoints(plain, charsMax) !== plain || plain.split(' ').length > wordsMax || /[!?;]/.test(plain);
  const isLink = /[@\\]|\/\/|[\p{L}\p{N}-]\.[\p{L}\p{N}]{2}|[a-z]:\S|^www\b/iu.test(plain);
  const digits = plain.match(/\p{N}/gu)?.length ?? 0;
  return plain === '' || isLine || isLink || digits > digitsMax ? null : plain;
}
