/** Tells from a mail alone which conversation it may belong to (RFC 5322 §3.6.4). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ParsedMail } from './mail.ts';

type ThreadHeaders = Pick<ParsedMail, 'messageId' | 'inReplyTo' | 'references'>;

/**
 * Returns the Message-IDs to look for among stored mail, best first. In-Reply-To comes in its order, then References
 * from the last (the parent) to the first (the root). Contains no repeats, and never the mail's own id.
 */
export function threadIds(mail: ThreadHeaders): string[] {
  const ids = new Set([...mail.inReplyTo, ...mail.references.toReversed()]);
  if (mail.messageId !== null) ids.delete(mail.messageId);
  return [...ids];
}

/** Returns every Message-ID in the mail, its own first. The ticket stores them. */
export function namedIds(mail: ThreadHeaders): string[] {
  const own = mail.messageId === null ? [] : [mail.messageId];
  return [...new Set([...own, ...mail.inReplyTo, ...mail.references])];
}

/** The subject of a ticket whose mail has none. */
export const noSubject = '(no subject)';

/**
 * Removes reply and forward prefixes and collapses blanks. Keeps upper and lower case.
 * Knows the prefixes of common mail programs in many languages, also repeated, counted (`Re[2]:`, `AW (3):`) or
 * full-width.
 */
export function stripReplyPrefixes(subject: string): string {
  let rest = subject.replace(/\s+/gu, ' ').trim();
  for (;;) {
    const stripped = rest.replace(REPLY_PREFIX, '');
    if (stripped === rest) return rest;
    rest = stripped.trim();
  }
}

/**
 * Returns the subject of the mail that a mail with this subject forwards: without the outermost `Fwd:`, and those
 * right below. Null if the subject does not begin with one.
 */
export function forwardedSubject(subject: string): string | null {
  let rest = subject.trim();
  for (let stripped = rest; ; rest = stripped) {
    stripped = rest.replace(FORWARD_PREFIX, '').trim();
    if (stripped === rest) return rest === subject.trim() ? null : rest;
  }
}

/**
 * Prepares a subject for comparison: removes prefixes and marks of direction, and folds case and compatibility forms.
 * Idempotent.
 */
export function normaliseSubject(subject: string): string {
  const folded = subject.replace(ALL_MARKS, '').normalize('NFKC').toLowerCase().normalize('NFKC');
  return stripReplyPrefixes(folded);
}

/** Whether a subject without its prefixes is too common or too short to show that two mails belong together. */
export function isGenericSubject(subject: string): boolean {
  const bare = normaliseSubject(subject)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return [...bare].length < GENERIC_CHARS_MIN || !/\p{L}/u.test(bare) || GENERIC_SUBJECTS.has(bare);
}

/**
 * Returns the token that ties replies to a message through a plus address: 39 characters of lower-case base32 (RFC
 * 4648).
 * The token names the message, not its ticket, so replies follow a message that a merge or split moves to another
 * ticket.
 * @param messageId a UUID
 * @param key at least 128 bits of secret. Without the same key, later replies do not find their messages.
 * @throws when `messageId` is not a UUID
 */
export function signReplyToken(messageId: string, key: string | Uint8Array): string {
  if (!UUID.test(messageId)) throw new Error('a reply token needs a UUID');
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex');
  return base32(Buffer.concat([id, replyMac(id, key)]));
}

/**
 * Reads the message id from a reply token, or from an address with a token after its last `+`. Ignores case.
 * @returns the message's UUID in lower case, or null without a token that was signed with `key`
 */
export function readReplyToken(tokenOrAddress: string, key: string | Uint8Array): string | null {
  const localPart = tokenOrAddress.split('@', 1)[0] ?? '';
  const token = localPart.slice(localPart.lastIndexOf('+') + 1).toLowerCase();
  const bytes = fromBase32(token);
  if (bytes === null) return null;
  const id = bytes.subarray(0, ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), replyMac(id, key))) return null;
  const hex = id.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Returns the mailbox's address with the token as its plus tag. Replaces a tag that the address already has.
 * @returns null when the local part would exceed 64 characters (RFC 5321 §4.5.3.1.1) or `address` is not an address
 */
export function replyAddress(address: string, token: string): string | null {
  const at = address.lastIndexOf('@');
  if (at < 1) return null;
  const localPart = `${address.slice(0, at).replace(/\+.*/s, '')}+${token}`;
  return localPart.length > LOCAL_PART_CHARS_MAX ? null : localPart + address.slice(at);
}

/** Invisible marks of direction, which programs write around prefixes of Hebrew and Arabic. */
const MARKS = '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*';
const ALL_MARKS = new RegExp(MARKS, 'gu');
const PREFIXES = [
  // English, French, Spanish, Catalan, Portuguese, Italian, Romanian
  're|res|r|r[ée]f|fwd?|fw|i|tr|rv|enc|rif|redirecționat',
  // German, Dutch, Nordic, Finnish, Welsh, Indonesian, Vietnamese
  'aw|wg|antw|antwort|doorst|sv|vs|vb|vl|tl|atb|yml|bls|trs|trả lời|chuyển tiếp',
  // Polish, Czech, South Slavic, Baltic, Hungarian, Turkish
  'odp|pd|odg|posr|proslijeđeno|ats|pārs|vá|továbbítás|ynt|ilt|i̇lt',
  // Russian, Ukrainian, Bulgarian, Greek
  'отв|ответ|пересл|відп|відповідь|отг|απ|απαντ|σχετ|πρθ',
  // Hebrew, Arabic, Thai
  'השב|רשב|תגובה|תשובה|הועבר|رد|الرد|إعادة توجيه|ตอบ|ตอบกลับ|ส่งต่อ',
  // Chinese, Japanese, Korean
  '回复|回覆|回復|答复|答覆|转发|轉寄|轉發|轉送|返信|転送|회신|답장|전달',
].join('|');
/** Those of them with which programs forward. `VS` also begins replies in Finnish. */
const FORWARD_PREFIXES = [
  'fwd?|fw|i|tr|rv|enc|redirecționat|wg|doorst|vs|vb|vl|yml|trs|chuyển tiếp|pd|posr|proslijeđeno',
  'pārs|továbbítás|ilt|i̇lt',
  'пересл|πρθ|הועבר|إعادة توجيه|ส่งต่อ|转发|轉寄|轉發|轉送|転送|전달',
].join('|');
const REPLY_PREFIX = prefixPattern(PREFIXES);
const FORWARD_PREFIX = prefixPattern(FORWARD_PREFIXES);

function prefixPattern(words: string): RegExp {
  return new RegExp(
    `^${MARKS}(?:${words})${MARKS}\\s?(?:\\[\\s?\\d{1,4}\\s?\\]|` +
      `\\(\\s?\\d{1,4}\\s?\\)|\\^\\d{1,4})?\\s?[:：]${MARKS}\\s*`,
    'iu',
  );
}

const GENERIC_CHARS_MIN = 5;
const GENERIC_SUBJECTS: ReadonlySet<string> = new Set(
  [
    'no subject|none|subject|test|testing|hello|hello there|hi there|good morning|good afternoon|dear sir|greetings',
    'question|questions|a question|quick question|help|help me|please help|need help|help needed|support',
    'support request',
    'problem|issue|error|bug|complaint|feedback|inquiry|enquiry|request|information|info request|contact|contact us',
    'contact form|message|new message|website contact|urgent|important|attention|reminder|update|follow up|followup',
    'order|my order|invoice|payment|refund|receipt|quote|account|my account|login|password|cancel|cancellation',
    'delivery',
    'thanks|thank you|thank you very much|meeting|document|documents|attachment|photo|photos|out of office',
    'automatic reply|auto reply|undeliverable|delivery status notification|returned mail',
    'hallo|guten tag|frage|fragen|anfrage|hilfe|bitte um hilfe|rechnung|bestellung|meine bestellung|kein betreff',
    'ohne betreff',
    'kündigung|problem|bewerbung|termin|nachricht|danke|bonjour|aide|demande|facture|commande',
    'sans objet|merci|réclamation',
    'hola|buenos días|ayuda|consulta|pregunta|factura|pedido|sin asunto|gracias|ciao|buongiorno|aiuto|domanda|fattura',
    'ordine|nessun oggetto|richiesta|vraag|factuur|bestelling|geen onderwerp|pytanie|faktura|zamówienie|brak tematu',
  ].flatMap((line) => line.split('|')),
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ID_BYTES = 16;
/**
 * 64 bits suffice: each guess costs one mail, and a hit only adds a message to a ticket, flagged as of an unknown
 * sender.
 */
const MAC_BYTES = 8;
const TOKEN_CHARS = Math.ceil(((ID_BYTES + MAC_BYTES) * 8) / 5);
const LOCAL_PART_CHARS_MAX = 64;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

function replyMac(id: Uint8Array, key: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update('kontor reply token 1\n').update(id).digest().subarray(0, MAC_BYTES);
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

/** Decodes a token. Returns null unless the text is the exact base32 form of its bytes. */
function fromBase32(text: string): Buffer | null {
  if (text.length !== TOKEN_CHARS) return null;
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit === -1) return null;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 255);
    }
    value &= (1 << bits) - 1;
  }
  return value === 0 ? Buffer.from(bytes) : null;
}
