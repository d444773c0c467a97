/** The possible results of SPF, DKIM and DMARC checks (RFC 8601 §2.7). */
export const authenticationResults = [
  'none',
  'pass',
  'fail',
  'softfail',
  'neutral',
  'policy',
  'temperror',
  'permerror',
] as const;
export type AuthenticationResult = (typeof authenticationResults)[number];

/** Returns `none` for a word that RFC 8601 does not list. */
export function asAuthenticationResult(word: string | undefined): AuthenticationResult {
  return authenticationResults.find((known) => known === word) ?? 'none';
}

export const authenticationVerdicts = ['pass', 'fail', 'none'] as const;

/** Whether the domain in From sent the mail. `pass`: proved. `fail`: the domain denies it. `none`: neither. */
export type MailAuthentication = {
  verdict: (typeof authenticationVerdicts)[number];
  spf: AuthenticationResult;
  dkim: AuthenticationResult;
  dmarc: AuthenticationResult;
  /**
   * The header fields, among those that a mail has once, that the proof covers: a DKIM signature proves the fields that
   * it names. Undefined when the proof covers the whole mail, as SPF does, and without a `pass`.
   */
  signedFields?: readonly string[];
};

/** For mail without checks, or whose checks found nothing. */
export const unauthenticated: MailAuthentication = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' };

type AddressedMail = {
  authentication: MailAuthentication | null;
  toAddresses: readonly string[];
  ccAddresses: readonly string[];
};

/**
 * Whether a mail's sender is proven, also for these of its header fields. A signature proves copies of a mail too, and
 * the mail may have been written to somebody else. So a signature alone counts only if it covers a To or Cc that names
 * us.
 * @param isOwn whether an address is one of ours
 */
export function isProven(
  { authentication, toAddresses, ccAddresses }: AddressedMail,
  isOwn: (email: string) => boolean,
  ...fields: readonly ('to' | 'cc' | 'reply-to' | 'subject')[]
): boolean {
  if (authentication?.verdict !== 'pass') return false;
  const { signedFields } = authentication;
  if (signedFields === undefined) return true;
  const isSigned = (field: string) => signedFields.includes(field);
  const namesUs = (isSigned('to') && toAddresses.some(isOwn)) || (isSigned('cc') && ccAddresses.some(isOwn));
  return namesUs && fields.every(isSigned);
}

/** The people in To and Cc whom a mail's proven sender brings into the conversation. */
export function provenRecipients(mail: AddressedMail, isOwn: (email: string) => boolean): string[] {
  return [
    ...(isProven(mail, isOwn, 'to') ? mail.toAddresses : []),
    ...(isProven(mail, isOwn, 'cc') ? mail.ccAddresses : []),
  ];
}
