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
};

/** For mail without checks, or whose checks found nothing. */
export const unauthenticated: MailAuthentication = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' };
