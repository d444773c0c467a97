/** The results of the checks of a mail's sender (RFC 8601 §2.7). */
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

/** `none` for a word that RFC 8601 does not list. */
export function asAuthenticationResult(word: string | undefined): AuthenticationResult {
  return authenticationResults.find((known) => known === word) ?? 'none';
}

export const authenticationVerdicts = ['pass', 'fail', 'none'] as const;

/** Whether the domain in From sent the mail: `pass` proves it, `fail` means that the domain denies it, `none` is neither. */
export type MailAuthentication = {
  verdict: (typeof authenticationVerdicts)[number];
  spf: AuthenticationResult;
  dkim: AuthenticationResult;
  dmarc: AuthenticationResult;
};

/** Nothing was checked, or the checks found nothing. */
export const unauthenticated: MailAuthentication = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' };
