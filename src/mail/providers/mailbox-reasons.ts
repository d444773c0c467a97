import type { ProviderFault, ProviderFaultKind } from '../provider-fault.ts';

/**
 * Why a mailbox does not work as it should. The list is closed. The sentence of a reason says more, such as the
 * provider's own code. The web inbox has a German sentence for each.
 */
export const reasonKeys = [
  'consent',
  'scope',
  'disconnected',
  'imap_login',
  'smtp_login',
  'password_not_taken',
  'tls',
  'no_folder',
  'from_refused',
  'no_mailbox',
  'sending_blocked',
  'forbidden',
  'client_missing',
  'sealed',
  'misconfigured',
  'storage_full',
  'busy',
  'away',
  'gone',
  'refused',
  'not_notified',
  'unverified',
  'renumbered',
  'not_tidied',
] as const;
export type ReasonKey = (typeof reasonKeys)[number];

const byCode: Readonly<Record<string, ReasonKey>> = {
  insufficient_scope: 'scope',
  insufficientpermissions: 'scope',
  disconnected: 'disconnected',
  imap_login: 'imap_login',
  smtp_login: 'smtp_login',
  password_not_taken: 'password_not_taken',
  tls: 'tls',
  no_folder: 'no_folder',
  from_refused: 'from_refused',
  mailboxnotenabledforrestapi: 'no_mailbox',
  errorinvaliduser: 'no_mailbox',
  errornonexistentmailbox: 'no_mailbox',
  errormessagesubmissionblocked: 'sending_blocked',
  client_missing: 'client_missing',
  sealed: 'sealed',
  storage_full: 'storage_full',
};

const byKind: Readonly<Record<ProviderFaultKind, ReasonKey>> = {
  unauthorized: 'consent',
  forbidden: 'forbidden',
  misconfigured: 'misconfigured',
  throttled: 'busy',
  unavailable: 'away',
  'cursor-lost': 'away',
  'not-found': 'gone',
  refused: 'refused',
};

export function reasonOf({ kind, code }: Pick<ProviderFault, 'kind' | 'code'>): ReasonKey {
  return byCode[code.toLowerCase()] ?? byKind[kind];
}
