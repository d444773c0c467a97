/** Reads the fields of message/delivery-status (RFC 3464 §2), even if a gateway pasted them into plain text. */

export type ReportAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

export type ReportRecipient = {
  /**
   * The address in the report. If the report has both, this is the address that the sender wrote (Original-Recipient).
   */
  address: string;
  action: ReportAction;
  /** The enhanced status code, such as `5.1.1` (RFC 3463). Null when the report has no code. */
  status: string | null;
  /** The text of the refusing server in one line, at most 500 characters. */
  diagnostic: string | null;
};

const RECIPIENTS_MAX = 200;
const FIELDS_MAX = 4_000;
const DIAGNOSTIC_CHARS_MAX = 500;

/** Reads the recipient blocks of the text in order. Skips blocks without an address. Never throws. */
export function readDeliveryStatus(text: string): ReportRecipient[] {
  return blocksOf(text)
    .flatMap((block) => recipientOf(block) ?? [])
    .slice(0, RECIPIENTS_MAX);
}

type Block = Map<string, string>;

const RECIPIENT_FIELDS = [
  'original-recipient',
  'final-recipient',
  'x-actual-recipient',
  'original-rcpt-to',
  'removal-recipient',
];
const FIELD = /^[>\s]{0,4}([A-Za-z][A-Za-z-]{3,39})[ \t]{0,4}:[ \t]*(.*)/;

/** A blank line or a repeated Final-Recipient begins the next block, because some systems omit the blank line. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let block: Block = new Map();
  let name: string | null = null;
  for (const line of text.split(/\r\n?|\n/, FIELDS_MAX)) {
    const field = line.length <= 2_000 ? FIELD.exec(line) : null;
    if (name !== null && /^[ \t]+\S/.test(line)) {
      block.set(name, `${block.get(name) ?? ''} ${line.trim()}`.slice(0, 2_000));
      continue;
    }
    name = field?.[1]?.toLowerCase() ?? null;
    const isNext = line.trim() === '' || (name === 'final-recipient' && block.has(name));
    if (isNext && block.size > 0) {
      blocks.push(block);
      block = new Map();
    }
    if (name !== null && !block.has(name)) block.set(name, field?.[2]?.trim() ?? '');
  }
  if (block.size > 0) blocks.push(block);
  return blocks;
}

function recipientOf(block: Block): ReportRecipient | null {
  const address = RECIPIENT_FIELDS.map((name) => addressIn(block.get(name) ?? '')).find((found) => found !== null);
  if (!address) return null;
  const diagnostic = block.get('diagnostic-code') ?? '';
  const named = statusIn(block.get('status') ?? '') ?? statusIn(diagnostic);
  const written = actionOf(block.get('action') ?? '', named);
  // A success code (RFC 3463 §2) means delivery, unless the diagnostic text has a failure code.
  const isDoubtful = written === 'failed' && named?.startsWith('2') === true;
  const isFailure = !isDoubtful || hasFailureCode(diagnostic);
  const status = isDoubtful && isFailure ? failureStatusIn(diagnostic) : named;
  return {
    address,
    action: isFailure ? written : 'delivered',
    status,
    diagnostic: oneDiagnostic(diagnostic.replace(/^[\w-]{1,20}\s*;\s*/, '')),
  };
}

/** Without an action of RFC 3464, the class of the status decides. `recipientOf` handles the success codes. */
function actionOf(written: string, status: string | null): ReportAction {
  const action = /^\W{0,3}(fail|delay|deliver|relay|expand)/i.exec(written)?.[1]?.toLowerCase();
  switch (action) {
    case 'fail':
      return 'failed';
    case 'delay':
      return 'delayed';
    case 'deliver':
      return 'delivered';
    case 'relay':
      return 'relayed';
    case 'expand':
      return 'expanded';
    default:
      return status?.startsWith('4') ? 'delayed' : 'failed';
  }
}

/** Returns the first address in a text, without brackets, or null. */
export function addressIn(text: string): string | null {
  const found = /[^\s<>;:,"'()[\]|=]{1,64}@[^\s<>;:,"'()[\]|]{1,255}/.exec(text.slice(0, 2_000))?.[0];
  return found?.replace(/(?<!\.)\.+$/, '') ?? null;
}

/** Returns the first enhanced status code in a text. Ignores parts of IP addresses and versions. */
export function statusIn(text: string): string | null {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d]|\.\d)/.exec(text.slice(0, 20_000))?.[0] ?? null;
}

/** Returns the first enhanced status code of a failure (class 4 or 5). */
export function failureStatusIn(text: string): string | null {
  return /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d]|\.\d)/.exec(text.slice(0, 20_000))?.[0] ?? null;
}

/** Whether the text has a failure code: an enhanced status code or an SMTP reply code of class 4 or 5. */
export function hasFailureCode(text: string): boolean {
  return failureStatusIn(text) !== null || /(?<![\d.])[45]\d\d[ -]/.test(text.slice(0, 20_000));
}

/** Puts a server's text on one line, and cuts it to a length that fits a log and a page. Returns null for no text. */
export function oneDiagnostic(text: string): string | null {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, DIAGNOSTIC_CHARS_MAX);
  return line === '' ? null : line;
}
