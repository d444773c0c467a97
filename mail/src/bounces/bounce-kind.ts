import type { BounceKind } from './bounce-kinds.ts';
import type { ReportRecipient } from './delivery-status.ts';

export type BounceVerdict = {
  bounceKind: BounceKind;
  /** The status code (RFC 3463) of the recipient that decides the kind. */
  enhancedStatusCode: string | null;
};

/** Returns one verdict for all recipients of a bounce: the worst kind. */
export function bounceVerdict(recipients: readonly ReportRecipient[]): BounceVerdict {
  const failed = recipients.filter(({ action }) => action === 'failed');
  const judged = failed.map((recipient) => ({ kind: kindOf(recipient), status: recipient.status }));
  const worst = ['hard' as const, 'soft' as const].flatMap(
    (kind) => judged.find((each) => each.kind === kind) ?? [],
  )[0];
  return {
    bounceKind: worst?.kind ?? 'unknown',
    enhancedStatusCode: (worst ?? judged.find(({ status }) => status !== null))?.status ?? null,
  };
}

function kindOf({ status, diagnostic }: ReportRecipient): BounceKind {
  const text = diagnostic ?? '';
  const code = /^([245])\.(\d+)\.(\d+)$/.exec(status ?? '');
  // Servers report full mailboxes and unknown addresses under many codes, so the text counts before the code.
  if (code?.[1] === '4' || FULL.test(text)) return 'soft';
  const byCode = code === null ? 'unknown' : (KINDS[`${code[2]}.${code[3]}`] ?? KINDS[`${code[2]}`] ?? 'unknown');
  if (byCode === 'hard') return 'hard';
  if (!/^2\.[1-4]$/.test(status?.slice(2) ?? '') && NO_ADDRESS.test(text)) return 'hard';
  if (byCode === 'soft') return 'soft';
  return /(?<![\d.])4\d\d[ -]/.test(text) ? 'soft' : 'unknown';
}

/** The kinds of permanent failures by subject and detail of the code (RFC 3463 §3, RFC 7505), or by subject alone. */
const KINDS: Readonly<Record<string, BounceKind>> = {
  '1.1': 'hard',
  '1.2': 'hard',
  '1.3': 'hard',
  '1.6': 'hard',
  // The domain has a null MX. Exchange uses this code for unknown recipients.
  '1.10': 'hard',
  '2.1': 'hard',
  '2.2': 'soft',
  '2.3': 'soft',
  '2.4': 'soft',
  '3': 'soft',
  '4.4': 'hard',
  '4': 'soft',
  '6': 'soft',
  '7': 'soft',
};

const FULL = new RegExp(
  '(?:mailbox|mail ?box|account|inbox|storage|disk)[^.]{0,40}\\bfull\\b|over ?-?quota|' +
    'quota (?:is )?exceed|exceed\\w{0,9} (?:\\w+ )?(?:quota|storage)|' +
    'insufficient (?:system )?storage|postfach[^.]{0,20}voll|boîte[^.]{0,30}pleine',
  'i',
);
const NO_ADDRESS = new RegExp(
  'user(?: is)? (?:unknown|not (?:found|known|listed))|' +
    '(?:unknown|no such|invalid|unrouteable|unroutable|nonexistent|non-existent) ' +
    '(?:user|recipient|mailbox|address|account|local ?part|domain)|' +
    '(?:user|recipient|mailbox|address|account|domain)(?: \\S{1,80})? (?:does ?n.t|does not) exist|' +
    'recipient (?:unknown|not found)|mailbox (?:not found|unknown)|' +
    'address rejected: (?:user|access denied unknown)|no mailbox here|host or domain name not found|' +
    'unbekannter (?:empfänger|benutzer)|utilisateur inconnu|usuario desconocido|utente sconosciuto',
  'i',
);
