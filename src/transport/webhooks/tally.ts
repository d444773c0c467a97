import type { ProviderKey } from '../../mail/providers/registry.ts';

/**
 * What became of one item of a webhook's body. `queued`: its mailbox is synced. `dropped`: it concerns no mailbox
 * here. `unverified`: its sender did not prove to be the provider. `malformed`: it is unreadable.
 */
export const outcomes = ['queued', 'dropped', 'unverified', 'malformed'] as const;
type NotificationOutcome = (typeof outcomes)[number];

/** Counts the items that this process receives, for the metrics. */
export type Tally = {
  add(provider: ProviderKey, outcome: NotificationOutcome, count?: number): void;
  of(provider: ProviderKey, outcome: NotificationOutcome): number;
};

export function openTally(): Tally {
  const counts = new Map<string, number>();
  const of = (provider: ProviderKey, outcome: NotificationOutcome) => counts.get(`${provider} ${outcome}`) ?? 0;
  return {
    add: (provider, outcome, count = 1) => counts.set(`${provider} ${outcome}`, of(provider, outcome) + count),
    of,
  };
}
