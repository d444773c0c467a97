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

/** Whether the domain in From sent the mail: `pass` is proof that it did, `fail` that it says it did not, `none` is neither. */
export type MailAuthentication = {
  verdict: (typeof authenticationVerdicts)[number];
  spf: AuthenticationResult;
  dkim: AuthenticationResult;
  dmarc: AuthenticationResult;
};

/** Nothing was checked, or nothing could be found out. */
export const unauthenticated: MailAuthentication = { verdict: 'none', spf: 'none', dkim: 'none', dmarc: 'none' };
