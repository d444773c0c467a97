import type { ProviderFault, ProviderFaultKind } from '../../provider-fault.ts';
import { type Sentence, say } from './sentences.ts';

/** In the order in which they are tried. */
export const steps = ['token', 'read', 'send', 'watch', 'push'] as const;
export type StepName = (typeof steps)[number];

const usual: Record<ProviderFaultKind, Sentence> = {
  unauthorized: say('reconnect'),
  forbidden: say('ask_administrator'),
  misconfigured: say('ask_operator'),
  throttled: say('check_later'),
  unavailable: say('check_later'),
  'cursor-lost': say('check_later'),
  'not-found': say('see_provider'),
  refused: say('check_again'),
};

/** What helps against a fault of a step. Watching and pushing need nothing of the mailbox's owner. */
export function hintOf(step: StepName, fault: ProviderFault | undefined): Sentence {
  if (step === 'push') return say('public_url');
  if (step === 'watch' && (fault?.kind === 'refused' || fault?.kind === 'forbidden' || fault?.kind === 'misconfigured'))
    return say('ask_operator_to_watch');
  return usual[fault?.kind ?? 'unavailable'];
}
