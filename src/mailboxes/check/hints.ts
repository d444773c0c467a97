import type { ProviderFault, ProviderFaultKind } from '../../mail/provider.ts';

/** In the order in which they are tried. */
export const steps = ['token', 'read', 'send', 'watch', 'push'] as const;
export type StepName = (typeof steps)[number];

const operator = 'The operator of this service must correct its settings: docs/mailboxes.md lists them.';
const later = 'Check again in a few minutes. Kontor goes on trying by itself.';

const usual: Record<ProviderFaultKind, string> = {
  unauthorized: 'Connect the mailbox again. Nothing is lost.',
  forbidden: "Ask the administrator of the mailbox's organisation to allow the access.",
  misconfigured: operator,
  throttled: later,
  unavailable: later,
  'cursor-lost': later,
  'not-found': 'Check at the provider whether the mailbox still exists.',
  refused: 'Check again. If it stays so, connect the mailbox again.',
};

/** What helps against a fault of a step. Watching and pushing need nothing of the mailbox's owner. */
export function hintOf(step: StepName, fault: ProviderFault | undefined): string {
  if (step === 'push')
    return 'PUBLIC_URL must lead from the Internet to this service. Until then, Kontor looks every three minutes.';
  if (step === 'watch' && (fault?.kind === 'refused' || fault?.kind === 'forbidden' || fault?.kind === 'misconfigured'))
    return `${operator} Until then, Kontor looks every three minutes.`;
  return usual[fault?.kind ?? 'unavailable'];
}
