import type { ProviderName } from '../mail/provider.ts';

/**
 * What became of one item of a webhook's body: its mailbox is looked after; no mailbox of ours has to do with it; who sent it
 * did not show to be the provider; it cannot be read.
 */
export const outcomes = ['queued', 'dropped', 'unverified', 'malformed'] as const;
type Outcome = (typeof outcomes)[number];

/** Counts what the webhooks of this process are sent, for the metrics. */
export type Tally = {
  add(provider: ProviderName, outcome: Outcome, count?: number): void;
  of(provider: ProviderName, outcome: Outcome): number;
};

export function openTally(): Tally {
  const counts = new Map<string, number>();
  const of = (provider: ProviderName, outcome: Outcome) => counts.get(`${provider} ${outcome}`) ?? 0;
  return {
    add: (provider, outcome, count = 1) => counts.set(`${provider} ${outcome}`, of(provider, outcome) + count),
    of,
  };
}
