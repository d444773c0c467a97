import type { ProviderKey } from '../../mail/providers/registry.ts';

/**
 * A provider's notification that something happened to a mailbox. It is only a hint to look; its content is not
 * trusted.
 */
export type Poke = {
  provider: ProviderKey;
  /** How the provider names the mailbox: a subscription id (Graph), or the address's `caseKey` (Gmail). */
  routeKey: string;
  /** There may be new mail. */
  wantsSync: boolean;
  /** The provider no longer notifies of new mail, or soon will not. */
  wantsWatch: boolean;
  /** The provider has dropped the named subscription. */
  isWatchGone: boolean;
  /** It carries the secret of its subscription, or a signature. Otherwise a stranger may have sent it. */
  isProven: boolean;
  /** The provider's id of the mail. An unknown id does no harm. */
  mailId?: string;
};

/** The same for all pokes of one mailbox. */
export function routeOf({ provider, routeKey }: Pick<Poke, 'provider' | 'routeKey'>): string {
  return `${provider} ${routeKey}`;
}

/** Reduces an unproven poke to a sync of the mailbox. */
export function unproven({ mailId: _, ...poke }: Poke): Poke {
  return { ...poke, isWatchGone: false, isProven: false };
}

/** Combines two pokes of the same mailbox, except the mails they name. */
export function folded(one: Poke, other: Poke | undefined): Poke {
  if (other === undefined) return one;
  return {
    ...one,
    wantsSync: one.wantsSync || other.wantsSync,
    wantsWatch: one.wantsWatch || other.wantsWatch,
    isWatchGone: one.isWatchGone || other.isWatchGone,
    isProven: one.isProven || other.isProven,
  };
}
