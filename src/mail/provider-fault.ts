export type ProviderFaultKind =
  /** The token endpoint says that the grant has ended or is insufficient: a person must consent again. */
  | 'unauthorized'
  /** The mailbox or its administrator forbids the access. Another consent does not help. */
  | 'forbidden'
  /** The setup of our application is wrong: the operator must correct it, not the mailbox's owner. */
  | 'misconfigured'
  /** We sent too many requests: retry after `retryAfterMs`. */
  | 'throttled'
  /** The provider is unreachable, too slow, or has an error of its own. */
  | 'unavailable'
  | 'cursor-lost'
  | 'not-found'
  /** The provider refuses this request for good: a retry does not help. */
  | 'refused';

/**
 * The evidence that a fault gives about our access to the mailbox.
 * - `final`: the token endpoint refused, our settings are wrong, or a server lets the account not send.
 * - `denial`: the API refused. Both providers also refuse by mistake, so this counts only after an hour of nothing
 *   else.
 * - `none`: nothing.
 */
export type AccessEvidence = 'final' | 'denial' | 'none';

const usualEvidence: Partial<Record<ProviderFaultKind, AccessEvidence>> = {
  unauthorized: 'final',
  misconfigured: 'final',
  forbidden: 'denial',
};

/** A failed request to a provider. */
export class ProviderFault extends Error {
  readonly kind: ProviderFaultKind;
  /** The provider's own error code (`ErrorItemNotFound`, `invalid_grant`), else the status. Never secret. */
  readonly code: string;
  readonly retryAfterMs: number | null;
  /** The provider may have carried out the request: check before you repeat it. */
  readonly mayHaveHappened: boolean;
  readonly evidence: AccessEvidence;

  constructor(
    kind: ProviderFaultKind,
    code: string,
    message: string,
    { retryAfterMs = null, mayHaveHappened = false, evidence, cause }: ProviderFaultOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderFault';
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveHappened = mayHaveHappened;
    this.evidence = evidence ?? usualEvidence[kind] ?? 'none';
  }
}

type ProviderFaultOptions = {
  retryAfterMs?: number | null;
  mayHaveHappened?: boolean;
  evidence?: AccessEvidence;
  cause?: unknown;
};

/** The code of a fault: the server tells of no new mail, so only looking finds it. */
export const noIdle = 'no_idle';

/** The code of a lost cursor: mails may have the ids of other mails now. */
export const idsReused = 'ids_reused';

/** Why a mailbox's servers could not be used. */
export type ServerRefusal = 'imap_login' | 'smtp_login' | 'password_not_taken' | 'from_refused' | 'tls' | 'unreachable';
